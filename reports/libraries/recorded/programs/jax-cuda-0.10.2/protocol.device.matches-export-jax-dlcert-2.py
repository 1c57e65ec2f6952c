# protocol.device.matches-export (jax 0.10.2): a tensor on a further device is exported on the device that dlpack_device reports
# device of the export: expected cpu:0 but found cpu:1
# Rule: array API draft, array_object.py __dlpack_device__; array API draft, array_object.py __dlpack__ dl_device
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, mmap, os, signal, sys
try:
    import os
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
def saw(found, then):
    print(found, flush=True)
    if found != then: print(f"  when the fault was found: {then}"); print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8), ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]
class Legacy(ctypes.Structure): name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]
class Versioned(ctypes.Structure): name = b"dltensor_versioned"; _fields_ = [("major", u32), ("minor", u32), ("context", ptr), ("deleter", ptr), ("flags", u64)] + TENSOR
api = ctypes.PyDLL(None); api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
def inside(holder): kind = Versioned if api.PyCapsule_IsValid(id(holder), Versioned.name) else Legacy; api.PyCapsule_GetPointer.restype = ptr; return kind.from_address(api.PyCapsule_GetPointer(id(holder), kind.name))
def name_of(holder): api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = [ptr], ctypes.c_char_p; return api.PyCapsule_GetName(id(holder))
def text(m):
    shape, strides = ("NULL" if not p else str(p[:m.ndim]) if 0 <= m.ndim <= 64 else "unread" for p in (m.shape, m.strides)); head = "legacy"
    if isinstance(m, Versioned): head = f"versioned {m.major}.{m.minor} flags {m.flags}"
    return (f"{head} deleter {'set' if m.deleter else 'NULL'} dtype ({m.code}, {m.bits}, {m.lanes})" f" device ({m.device_type}, {m.device_id}) ndim {m.ndim} shape {shape}" f" strides {strides} offset {m.byte_offset} data {'set' if m.data else 'NULL'}")
cudart = ctypes.CDLL("libcudart.so.13")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
from jax._src import hardware_utils
hardware_utils.has_visible_nvidia_gpu = lambda: True
jax.config.update("jax_platforms", "cuda,cpu" if "cudart" in globals() else "cpu"); jax.config.update("jax_enable_x64", True)
t1 = jax.device_put(numpy.frombuffer((m := mmap.mmap(-1, 9), m.seek(0), m.write(bytes.fromhex("0000000000000000")))[0], "float32", 2, 0).reshape((2,)), jax.devices("cpu")[1]).block_until_ready()
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (2,)))
saw(tuple(map(int, t1.__dlpack_device__())), (1, 0))
c1 = t1.__dlpack__()
saw(name_of(c1), b"dltensor")
m1 = inside(c1); saw(text(m1), "legacy deleter set dtype (2, 32, 1) device (1, 1) ndim 1 shape [2] strides [1] offset 0 data set")
saw(name_of(c1), b"dltensor")
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
