# abi.strides.element-units (torch 2.4.1+cu121): the strides that the library tells of an import lead to what it reads
# elements by the strides that it tells: expected 4 bytes 01000100 but found 4 bytes a500a500
# Rule: dlpack.h v1.3, DLTensor.strides
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import torch
    from torch import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):
    print(found, flush=True)
    if found != then: print(f"  when the fault was found: {then}"); print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8), ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]
class Legacy(ctypes.Structure): name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]
api = ctypes.pythonapi; api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
def delete(m): return m.deleter and ctypes.CFUNCTYPE(None, ptr)(m.deleter)(ctypes.addressof(m))
def memory(data): return (u8 * len(data))(*data)
offers = []
def offer(kind, storage, shape, strides, at=0, **fields): calls, kept = [], memory(storage); callback = ctypes.CFUNCTYPE(None, ptr)(calls.append); lists = [None if p is None else (i64 * len(p))(*p) for p in (shape, strides)]; m = kind(**{"data": ctypes.addressof(kept) + at, "deleter": ctypes.cast(callback, ptr), "context": ctypes.addressof(kept), "shape": lists[0], "strides": lists[1], **fields}); m.calls, m.kept = calls, (callback, kept); return offers.append(m) or m
held = []
def capsule(m): api.PyCapsule_New.restype = ctypes.py_object; api.PyCapsule_New.argtypes = [ptr, ctypes.c_char_p, ptr]; held.append((api.PyCapsule_New(ctypes.addressof(m), m.name, None), m)); return held[-1][0]
def calls(m):
    for pair in [pair for pair in held if sys.getrefcount(pair[0]) == 2]:
        held.remove(pair)
        if api.PyCapsule_IsValid(id(pair[0]), pair[1].name): delete(pair[1])
    return len(m.calls)
class Producer:
    __dlpack_device__ = lambda self: self.device
    def __init__(self, device, m): self.device, self.m = device, m
    def __dlpack__(self, max_version=None, **others):
        if self.m is None or self.m.name == b"dltensor_versioned" and (max_version or (0,))[0] < 1: raise BufferError("no such export")
        m, self.m = self.m, None; return capsule(m)
m1 = offer(Legacy, bytes.fromhex("a50000a5a50000"), [2, 2], [4, 1], ndim=2, code=6, bits=8, lanes=1, device_type=1, byte_offset=1)
p1 = Producer((1, 0), m1)
t1 = from_dlpack(p1)
saw((str(t1.dtype), tuple(t1.shape)), ('torch.bool', (2, 2)))
saw((str(t1.dtype), tuple(t1.shape)), ('torch.bool', (2, 2)))
saw(bytes(t1.detach().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8).tolist()).hex(), "01000100")
del t1
saw(calls(m1), 1)
print("the library answers as when the fault was found", flush=True)
os._exit(1)
