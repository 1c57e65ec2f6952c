# warp 1.19.0: elements: expected 16 bytes c15c0289ec2d0a91ec8e65a18debbe5e but found 16 bytes
# c15c0289ec2d0a9100ec8e65a18debbe
#
# Rule (abi.strides.indivisible-error): strides of several axes, some of which are no multiple of
# the element, are refused or copied, not rounded.
# Source: array API draft, array_object.py __dlpack__ Raises BufferError (incompatible strides); the
# ban on rounding is derived from dlpack.h v1.3 DLTensor.strides
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

import numpy, warp
from warp import from_dlpack
warp.init()


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


def elements(managed):
    """The bytes of all elements in row-major order, in hexadecimal."""
    return b"".join(ctypes.string_at(*place) for place in addresses(managed.dl_tensor)).hex()


tensor1 = warp.array(
    numpy.ndarray(
        (1, 2, 2, 1),
        "float32",
        bytearray.fromhex("c15c0289ec2d0a9100ec8e65a18debbe5e00"),
        0,
        (18, 9, 4, 1),
    ),
    warp.float32,
    copy=False,
    device="cpu",
)
capsule1 = unless_refused(lambda: tensor1.__dlpack__())
managed1 = managed_in(capsule1)
judge(elements(managed1), "c15c0289ec2d0a91ec8e65a18debbe5e")
