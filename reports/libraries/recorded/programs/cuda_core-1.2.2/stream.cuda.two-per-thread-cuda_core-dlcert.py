# stream.cuda.two-per-thread (cuda_core 1.2.2): 2 orders against the caller's per-thread default stream
# write by copy_async, operation 2 of stream 0x7d1000000030 of device 0 and read by copy_async, operation 2 of a per-thread default stream of device 0 are not ordered: nothing makes a per-thread default stream of device 0 wait for operation 2 of stream 0x7d1000000030 of device 0 (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 5)
# Rule: array API draft, array_object.py __dlpack__ CUDA values
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, gc, itertools, math, os, signal, sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
    library = numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):
    print(found, flush=True)
    if found != then: print(f"  when the fault was found: {then}"); print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8), ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]
class Legacy(ctypes.Structure): name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]
class Versioned(ctypes.Structure): name = b"dltensor_versioned"; _fields_ = [("major", u32), ("minor", u32), ("context", ptr), ("deleter", ptr), ("flags", u64)] + TENSOR
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
class Memory:
    __dlpack_device__ = lambda self: self.device
    def __init__(self, device, *layout, **fields): self.device, self.layout, self.fields = device, layout, fields
    def __dlpack__(self, max_version=None, **others): legacy = (max_version or (0,))[0] < 1; return capsule(offer(Legacy, *self.layout, **self.fields) if legacy else offer(Versioned, *self.layout, major=1, **self.fields))
cudart = ctypes.CDLL("libcudart.so.13")
def synchronize(device): before = ctypes.c_int(); cudart.cudaGetDevice(ctypes.byref(before)); cudart.cudaSetDevice(device); cudart.cudaDeviceSynchronize(); cudart.cudaSetDevice(before)
from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(StridedMemoryView.from_dlpack(source, stream_ptr=-1))
cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000030 of device 0 is made
t1 = from_dlpack(Memory((2, 0), bytes.fromhex("00000000"), [1], [1], ndim=1, code=2, bits=32, lanes=1, device_type=2, device_id=0, byte_offset=0))
synchronize(0)
synchronize(1)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (1,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): what follows, until the next line like this
# cannot be shown without dlcert: 4 bytes at 0x(address) are read on the per-thread default stream 0x2 of device 0, which is waited for
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
