# onnxruntime 1.32.0: data of a tensor without elements: expected 0x0 but found 0x(address)
#
# Rule (abi.data.zero-size-null): a tensor without elements is exported with null data.
# Source: dlpack.h v1.3, DLTensor.data (last note); DLPack docs/source/python_spec.rst @7f393bb
# lines 162-163
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import ctypes, numpy, onnxruntime
from onnxruntime import OrtValue
from_dlpack = OrtValue.from_dlpack


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


tensor1 = OrtValue.ortvalue_from_numpy(
    numpy.frombuffer(bytearray.fromhex(""), "float32").reshape((0,))
)
capsule2 = unless_refused(lambda: tensor1.__dlpack__())
managed1 = managed_in(capsule2)
judge(managed1.dl_tensor.data, None)
