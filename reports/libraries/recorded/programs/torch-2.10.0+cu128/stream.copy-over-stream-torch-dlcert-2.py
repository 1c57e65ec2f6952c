# torch 2.10.0+cu128: write by copy_async, operation 13 of stream 0x7d1000000060 of device 0 and
# read by copy_async, operation 3 of stream 0x7d1000000070 of device 1 are not ordered: nothing
# makes stream 0x7d1000000070 of device 1 wait for operation 13 of stream 0x7d1000000060 of device 0
# (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 2097152)
#
# Rule (stream.copy-over-stream): a copy on another device is in order on the consumer's stream
# there on CUDA.
# Source: array API draft, array_object.py __dlpack__ note on copy
# Without a GPU: dlcert with-simulated-gpu --devices 2 python THIS_FILE. A real GPU may not show the
# fault, because its work may happen to run in the right order.
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import itertools
import math
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import torch
from torch import from_dlpack


def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)


def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)


def unless_refused(call):
    try:
        return call()
    except NameError:
        raise
    except Exception as error:
        print(f"raised: {error!r}, as it may\nthe library keeps the rule", flush=True)
        os._exit(0)


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    capsule_name = b"dltensor"
    _fields_ = [
        ("dl_tensor", DLTensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class DLPackVersion(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class DLManagedTensorVersioned(ctypes.Structure):
    capsule_name = b"dltensor_versioned"
    _fields_ = [
        ("version", DLPackVersion),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", DLTensor),
    ]


api = ctypes.PyDLL(None)  # not ctypes.pythonapi, whose types a library may have set
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.c_void_p]
api.PyCapsule_SetName.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetDestructor.restype = ctypes.c_void_p
api.PyCapsule_GetDestructor.argtypes = [ctypes.c_void_p]


def managed_in(capsule):
    """The struct that a capsule holds."""
    for kind in (DLManagedTensorVersioned, DLManagedTensor):
        if api.PyCapsule_IsValid(id(capsule), kind.capsule_name):
            return kind.from_address(api.PyCapsule_GetPointer(id(capsule), kind.capsule_name))
    raise TypeError(f"no capsule of a tensor: {capsule!r}")


def extents(tensor):
    return list((ctypes.c_int64 * tensor.ndim).from_address(tensor.shape)) if tensor.ndim else []


def strides_of(tensor):
    if tensor.strides and tensor.ndim:
        return list((ctypes.c_int64 * tensor.ndim).from_address(tensor.strides))
    shape = extents(tensor)
    return [math.prod(shape[axis + 1:]) for axis in range(tensor.ndim)]


def addresses(tensor):
    """Of all elements, in row-major order, with the size of an element."""
    size = (tensor.dtype.bits * tensor.dtype.lanes + 7) // 8
    for index in itertools.product(*map(range, extents(tensor))):
        place = sum(i * stride for i, stride in zip(index, strides_of(tensor)))
        yield tensor.data + tensor.byte_offset + size * place, size


def loaded_cudart():
    """The CUDA runtime that the library has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if "libcudart" in line:
                return ctypes.CDLL(line.split()[-1])
    return ctypes.CDLL("libcudart.so.13")


cudart = loaded_cudart()


def done(status):
    if status != 0:
        raise RuntimeError(f"the GPU runtime returned error {status}")


def current_device():
    device = ctypes.c_int()
    done(cudart.cudaGetDevice(ctypes.byref(device)))
    return device.value


def set_device(device):
    done(cudart.cudaSetDevice(device))


def synchronize(device):
    before = current_device()
    set_device(device)
    done(cudart.cudaDeviceSynchronize())
    set_device(before)


def new_stream(non_blocking):
    """A stream of the current device."""
    stream = ctypes.c_void_p()
    done(cudart.cudaStreamCreateWithFlags(ctypes.byref(stream), int(non_blocking)))
    return stream.value


def synchronize_stream(stream):
    done(cudart.cudaStreamSynchronize(ctypes.c_void_p(stream)))


def read_on(stream, managed):
    """The bytes of all elements as the stream reads them, in hexadecimal."""
    read, by_addresses = [], 4
    for address, size in addresses(managed.dl_tensor):
        read.append((ctypes.c_uint8 * size)())
        done(cudart.cudaMemcpyAsync(read[-1], ctypes.c_void_p(address), ctypes.c_size_t(size),
                                    by_addresses, ctypes.c_void_p(stream)))
    synchronize_stream(stream)
    return b"".join(map(bytes, read)).hex()


set_device(0)
stream1 = new_stream(non_blocking=True)
tensor1 = torch.frombuffer(
    bytearray.fromhex("00000000"), dtype=torch.uint8
).view(torch.float32).to('cuda:0').as_strided((1,), (1,), 0)
synchronize(0)
synchronize(1)
set_device(1)
stream2 = new_stream(non_blocking=True)
set_device(0)
with torch.cuda.stream(torch.cuda.ExternalStream(stream1, "cuda:0")):
    [
        tensor1[tuple(i)].copy_(v, non_blocking=True) for i, v in zip(
            torch.ones(tensor1.shape).nonzero().tolist(),
            torch.frombuffer(
                bytearray.fromhex("3c3c3c3c"), dtype=torch.uint8
            ).view(tensor1.dtype).pin_memory(),
        )
    ]
    capsule1 = unless_refused(
        lambda: tensor1.__dlpack__(stream=stream2, max_version=(1, 3), dl_device=(2, 1))
    )
    managed1 = managed_in(capsule1)
set_device(0)
judge(read_on(stream2, managed1), "3c3c3c3c")
