# abi.strides.element-units (torch 2.4.1+cu121): the strides that the library tells of an import lead to what it reads
# elements by the strides that it tells: expected 4 bytes 01000000 but found 4 bytes a5000000
# Rule: dlpack.h v1.3, DLTensor.strides
# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be imported
# or if a name in this program has no value.
import ctypes, gc, itertools, math, os, signal, sys
try:
    import torch
    from torch import from_dlpack
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
class Producer:
    __dlpack_device__ = lambda self: self.device
    def __init__(self, device, m): self.device, self.m = device, m
    def __dlpack__(self, max_version=None, **others):
        if self.m is None or self.m.name == b"dltensor_versioned" and (max_version or (0,))[0] < 1: raise BufferError("no such export")
        m, self.m = self.m, None; return capsule(m)
m1 = offer(Legacy, bytes.fromhex("a500000000"), [2, 2], [1, 2], ndim=2, code=6, bits=8, lanes=1, device_type=1, byte_offset=1)
p1 = Producer((1, 0), m1)
t1 = from_dlpack(p1)
saw((str(t1.dtype), tuple(t1.shape)), ('torch.bool', (2, 2)))
saw((str(t1.dtype), tuple(t1.shape)), ('torch.bool', (2, 2)))
saw(bytes(t1.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8).tolist()).hex(), "01000000")
del t1
saw(calls(m1), 1)
print("the library answers as when the fault was found", flush=True)
os._exit(1)
