# jax 0.10.2: device index in the descriptor: expected 0 but found 1
#
# Rule (abi.device.id-zero-for-host): pinned and managed memory is exported under index 0 on CUDA.
# Source: dlpack.h v1.3, DLDevice.device_id
# Without a GPU: dlcert with-simulated-gpu --devices 2 python THIS_FILE.
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import mmap
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
from jax._src import hardware_utils
hardware_utils.has_visible_nvidia_gpu = lambda: True
try:
    ctypes.CDLL("libcuda.so.1")
    platforms = "cuda,cpu"
except OSError:
    platforms = "cpu"
jax.config.update("jax_platforms", platforms)
jax.config.update("jax_enable_x64", True)


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


set_device(0)
tensor1 = jax.device_put(
    numpy.frombuffer(
        (m := mmap.mmap(-1, 5), m.seek(0), m.write(bytes.fromhex("00000000")))[0], "float32", 1, 0
    ).reshape((1,)),
    jax.sharding.SingleDeviceSharding(jax.devices("cuda")[1], memory_kind="pinned_host"),
).block_until_ready()
synchronize(0)
synchronize(1)
capsule1 = unless_refused(lambda: tensor1.__dlpack__(stream=None, max_version=(1, 3)))
managed1 = managed_in(capsule1)
judge(managed1.dl_tensor.device.device_id, 0)
