# decord 0.6.0: ended by SIGSEGV in case 0
#
# Rule (abi.robust.malformed-descriptor): what the consumer makes of a negative rank is recorded.
# Source: derived: dlpack.h v1.3 DLTensor
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import itertools
import math
import mmap
import os
import signal
import subprocess
import sys

if sys.argv[1:] != ["--child"]:  # the library may end the process that calls it
    command = [sys.executable, __file__, "--child"]
    try:
        code = subprocess.run(command, timeout=40).returncode
    except subprocess.TimeoutExpired:
        print("the library did not return within 40 s")
        print("the library breaks the rule")
        sys.exit(1)
    if code == 100:
        print("the library keeps the rule")
        sys.exit(0)
    if code == 2:
        sys.exit(2)
    if code < 0:
        print("ended by", signal.Signals(-code).name)
    else:
        print(f"ended early with exit status {code}")
    print("the library breaks the rule")
    sys.exit(1)


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import decord
import numpy
from_dlpack = decord.nd.from_dlpack


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


def memory(data):
    """Between two pages that cannot be accessed; its last byte is the last before a page."""
    block = mmap.mmap(-1, len(data) // 4096 * 4096 + 3 * 4096)
    begin = ctypes.addressof(ctypes.c_uint8.from_buffer(block))
    end = begin + len(block) - 4096
    for page in (begin, end):
        ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), 4096, 0)
    kept = (ctypes.c_uint8 * len(data)).from_address(end - len(data))
    kept[:] = data
    kept.block = block
    return kept


offers = []


def int64s(values):
    return None if values is None else (ctypes.c_int64 * len(values))(*values)


def offer(kind, storage, dtype, device, shape, strides, ndim, data_at=0, byte_offset=0,
          version=(1, 3), flags=0, **fields):
    """A managed tensor of this program's own, which notes the calls of its deleter."""
    managed = kind()
    managed.calls = []
    managed.kept = [memory(storage), int64s(shape), int64s(strides),
                    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.calls.append)]
    data, shape, strides, managed.deleter = (
        kept if kept is None else ctypes.cast(kept, ctypes.c_void_p) for kept in managed.kept)
    managed.manager_ctx = data
    managed.dl_tensor = DLTensor(data.value + data_at, device, ndim, dtype, shape, strides,
                                 byte_offset)
    if kind is DLManagedTensorVersioned:
        managed.version = version
        managed.flags = flags
    if "data" in fields:
        managed.dl_tensor.data = fields.pop("data")
    for name, value in fields.items():
        setattr(managed, name, value)
    offers.append(managed)
    return managed


lent = []
asked_for = []  # the addresses of all that was ever lent


def new_capsule(managed):
    """A capsule of an offer. Its destructor does nothing."""
    nothing = ctypes.cast(api.Py_IsInitialized, ctypes.c_void_p)
    made = api.PyCapsule_New(ctypes.addressof(managed), managed.capsule_name, nothing)
    lent.append((made, managed))
    asked_for.append(ctypes.addressof(managed))
    return made


managed1 = offer(
    DLManagedTensor,
    bytes.fromhex(
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000"
    ),
    dtype=(2, 32, 1),
    device=(1, 0),
    shape=[2, 3],
    strides=[1, 1],
    ndim=-1,
)
capsule1 = new_capsule(managed1)
try:
    tensor1 = from_dlpack(capsule1)
except (AttributeError, NameError):
    raise
except Exception as error:
    print(f"raised: {error!r}", flush=True)
os._exit(100)
