# stream.explicit-default-preferred (numba_cuda 0.30.4): a consumer on its default stream names it on CUDA
# stream of a consumer on its default stream: expected 1 but found none
# Rule: array API draft, array_object.py __dlpack__ Tip
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, gc, itertools, math, os, signal, sys
try:
    from numba import cuda
    import numpy
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):
    print(found, flush=True)
    if found != then: print(f"  when the fault was found: {then}"); print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); api = ctypes.PyDLL(None); api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
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
cudart = ctypes.CDLL("libcudart.so.13")
from_dlpack = lambda source: cuda.InOut(source).to_device([], 0); view = lambda x, stream: StridedMemoryView.from_cuda_array_interface(x.array, stream_ptr=stream)
own_device = lambda x: view(x, -1).__dlpack_device__(); export = lambda x, *, stream=None, **others: view(x, stream or 1).__dlpack__(**others)
hold = lambda x, array: setattr(x, "array", array); Handed = type("Handed", (), {"__init__": hold, "__dlpack_device__": own_device, "__dlpack__": export})
on_device = lambda data: cuda.to_device(numpy.frombuffer(bytes.fromhex(data + "00"), "u1")); copied = lambda device, data: cuda.select_device(device) and on_device(data)
at = lambda array, offset: (array.device_ctypes_pointer.value + offset, False); interface = lambda array, offset, **layout: {"data": at(array, offset), "version": 3, **layout}
part = lambda array, *at, **layout: cuda.from_cuda_array_interface(interface(array, *at, **layout), array); cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000020 of device 0 is made
# cannot be shown without dlcert: offer(versioned float32 cuda:0 ndim=1 shape=[1] strides=[1] flags=0x0 version=1.3 data=elsewhere storage=0 bytes)
p1 = Producer((2, 0), m1)
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
del t1; saw(calls(m1), 1)
print("the library answers as when the fault was found", flush=True)
os._exit(1)
