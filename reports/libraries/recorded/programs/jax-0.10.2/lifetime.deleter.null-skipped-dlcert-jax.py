# jax 0.10.2: import of a claimed tensor: expected success but found RuntimeError: bad_function_call
#
# Rule (lifetime.deleter.null-skipped): a tensor without deleter is imported and released without
# calling it.
# Source: dlpack.h v1.3, deleter; DLPack docs/source/python_spec.rst @7f393bb lines 120-123
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import itertools
import math
import mmap
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)


def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)


def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)


def judge_success(call):
    try:
        call()
    except NameError:
        raise
    except Exception as error:
        judge(repr(error), "no exception")
    judge("no exception", "no exception")


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
    """Aligned as far as its end is, amid bytes that are no elements."""
    block = (ctypes.c_uint8 * (len(data) + 576))(*[0xdb] * (len(data) + 576))
    begin = 256 + -(ctypes.addressof(block) + len(data)) % 64
    kept = (ctypes.c_uint8 * len(data)).from_buffer(block, begin)
    kept[:] = data
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


class Producer:
    """An object that hands out one managed tensor."""

    def __init__(self, device, managed):
        self.device = device
        self.original = self.managed = managed
        self.requests = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        self.requests.append(options)
        takes_versioned = (options.get("max_version") or (0, 0))[0] >= 1
        if self.managed is None:
            raise BufferError("nothing left to export")
        if isinstance(self.managed, DLManagedTensorVersioned) and not takes_versioned:
            raise BufferError("only a versioned export")
        managed, self.managed = self.managed, None
        return new_capsule(managed)


managed1 = offer(
    DLManagedTensor,
    bytes.fromhex("00000000"),
    dtype=(2, 32, 1),
    device=(1, 0),
    shape=[],
    strides=[],
    ndim=0,
    deleter=None,
)
producer1 = Producer((1, 0), managed1)
judge_success(lambda: from_dlpack(producer1))
