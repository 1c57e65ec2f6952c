# abi.dtype.lanes-unsupported-reject (tensorflow 2.21.0): a consumer without vector elements does not ignore lanes
# elements: expected 48 bytes 0102030405060708090a0b0c0d0e0f10...2122232425262728292a2b2c2d2e2f30 but found 12 bytes 0102030405060708090a0b0c
# Rule: derived: dlpack.h v1.3 DLDataType.lanes
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, gc, itertools, math, os, signal, sys
try:
    import numpy
    import tensorflow
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
api = ctypes.PyDLL(None); api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
def elements(m):
    out, size, shape = b"", (m.bits * m.lanes + 7) // 8, m.shape[:m.ndim] if m.ndim else []; strides = [math.prod(shape[i + 1:]) for i in range(m.ndim)]
    if m.strides and m.ndim: strides = m.strides[:m.ndim]
    for index in itertools.product(*map(range, shape)): place = sum(i * stride for i, stride in zip(index, strides)); out += ctypes.string_at(m.data + m.byte_offset + size * place, size)
    return out.hex()
def delete(m): return m.deleter and ctypes.CFUNCTYPE(None, ptr)(m.deleter)(ctypes.addressof(m))
def memory(data): block = (u8 * (len(data) + 576))(*[0xdb] * (len(data) + 576)); kept = (u8 * len(data)).from_buffer(block, 256 + -(ctypes.addressof(block) + len(data)) % 64); kept[:] = data; return kept
offers = []
def offer(kind, storage, shape, strides, at=0, **fields): calls, kept = [], memory(storage); callback = ctypes.CFUNCTYPE(None, ptr)(calls.append); lists = [None if p is None else (i64 * len(p))(*p) for p in (shape, strides)]; m = kind(**{"data": ctypes.addressof(kept) + at, "deleter": ctypes.cast(callback, ptr), "context": ctypes.addressof(kept), "shape": lists[0], "strides": lists[1], **fields}); m.calls, m.kept = calls, (callback, kept); return offers.append(m) or m
held = []
def capsule(m): api.PyCapsule_New.restype = ctypes.py_object; api.PyCapsule_New.argtypes = [ptr, ctypes.c_char_p, ptr]; nothing = ctypes.cast(api.Py_IsInitialized, ptr); held.append((api.PyCapsule_New(ctypes.addressof(m), m.name, nothing), m)); return held[-1][0]
def calls(m):
    gc.collect(); api.PyCapsule_GetDestructor.argtypes, api.PyCapsule_GetDestructor.restype = [ptr], ptr
    for pair in [pair for pair in held if sys.getrefcount(pair[0]) == 2]:
        held.remove(pair); address, lent = id(pair[0]), pair[1]
        if api.PyCapsule_GetDestructor(address) and api.PyCapsule_IsValid(address, lent.name): delete(lent)
    return len(m.calls)
from_dlpack = tensorflow.experimental.dlpack.from_dlpack
m1 = offer(Legacy, bytes.fromhex("0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30"), [3], [1], ndim=1, code=2, bits=32, lanes=4, device_type=1)
c1 = capsule(m1)
t1 = from_dlpack(c1)
saw((str(t1.dtype), tuple(t1.shape)), ("<dtype: 'float32'>", (3,)))
saw((str(t1.dtype), tuple(t1.shape)), ("<dtype: 'float32'>", (3,)))
saw((str(t1.dtype), tuple(t1.shape)), ("<dtype: 'float32'>", (3,)))
saw(t1.numpy().tobytes().hex(), "0102030405060708090a0b0c")
del c1
del t1
saw(calls(m1), 1)
print("the library answers as when the fault was found", flush=True)
os._exit(1)
