# tvm_ffi 0.1.15.post2: error: expected BufferError but found AttributeError: 'tvm_ffi.core.Tensor'
# object has no attribute '_Tensor__ctypes_handle__to_dlpack'
#
# Rule (protocol.maxversion.upper-bound-major): the exported version is not above max_version.
# Source: array API draft, array_object.py __dlpack__ recommended producer logic
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import tvm_ffi
import numpy
from tvm_ffi import from_dlpack


def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)


def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)


def judge_refusal(call, *kinds):
    expected = " or ".join(kind.__name__ for kind in kinds) or "an exception"
    try:
        call()
    except NameError:
        raise
    except kinds or Exception as error:
        print(f"raised: {error!r}")
        judge(expected, expected)
    except Exception as error:
        judge(repr(error), expected)
    judge("no exception", expected)


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


names = []


def rename(capsule, name):
    names.append(name and name.encode())  # the capsule keeps the pointer
    api.PyCapsule_SetName(id(capsule), names[-1])


def delete(managed):
    if managed.deleter:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))


tensor1 = tvm_ffi.from_dlpack(numpy.ndarray((), "float32", bytearray.fromhex("00000000"), 0, ()))
capsule1 = tensor1.__dlpack__(max_version=(1, 0))
managed1 = managed_in(capsule1)
rename(capsule1, "used_dltensor_versioned")
del capsule1
delete(managed1)
judge_refusal(lambda: tensor1.__dlpack__(max_version=(0, 8)), BufferError)
