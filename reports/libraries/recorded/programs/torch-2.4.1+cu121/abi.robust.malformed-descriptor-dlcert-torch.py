# abi.robust.malformed-descriptor (torch 2.4.1+cu121): what the consumer makes of a negative rank is recorded
# ended by SIGSEGV in case 0
# Rule: derived: dlpack.h v1.3 DLTensor
# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be imported
# or if a name in this program has no value.
import ctypes, gc, mmap, os, signal, subprocess, sys
try:
    import torch
    from torch import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(101 if issubclass(error[0], NameError) else 100)
sys.excepthook = unhandled
if sys.argv[1:] != ["--child"]:  # what follows ends the process, or hangs
    code = subprocess.run([sys.executable, __file__, "--child"]).returncode
    print("the library did not end the process" if code == 100 else f"ended by {signal.Signals(-code).name}"
          if code < 0 else f"ended early with exit status {code}", flush=True)
    sys.exit(2 if code == 101 else code != 100)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8), ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]
class Legacy(ctypes.Structure): name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]
api = ctypes.PyDLL(None); api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
def delete(m): return m.deleter and ctypes.CFUNCTYPE(None, ptr)(m.deleter)(ctypes.addressof(m))
def memory(data):
    block = mmap.mmap(-1, len(data) // 4096 * 4096 + 12288); begin = ctypes.addressof(u8.from_buffer(block)); end = begin + len(block) - 4096
    for page in (begin, end): ctypes.CDLL(None).mprotect(ptr(page), 4096, 0)
    kept = (u8 * len(data)).from_address(end - len(data)); kept[:], kept.block = data, block; return kept
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
m1 = offer(Legacy, bytes.fromhex("00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"), [2, 3], [1, 1], ndim=-1, code=2, bits=32, lanes=1, device_type=1)
p1 = Producer((1, 0), m1)
t1 = from_dlpack(p1)
os._exit(100)
