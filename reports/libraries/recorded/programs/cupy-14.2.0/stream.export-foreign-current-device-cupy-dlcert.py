# stream.export-foreign-current-device (cupy 14.2.0): an export leaves another current device alone on CUDA
# write by copy_async, operation 597 of stream 0x7d1000005c20 of device 0 and read by copy_async, operation 1272 of the legacy default stream of device 0 are not ordered: nothing makes the legacy default stream of device 0 wait for operation 597 of stream 0x7d1000005c20 of device 0 (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 4)
# Rule: derived: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, gc, itertools, math, os, signal, sys
try:
    import cupy, numpy
    from cupy import from_dlpack
    library = cupy, numpy
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
def synchronize(device): before = ctypes.c_int(); cudart.cudaGetDevice(ctypes.byref(before)); cudart.cudaSetDevice(device); cudart.cudaDeviceSynchronize(); cudart.cudaSetDevice(before)
managed = lambda x: (y := cupy.ndarray(x.shape, "u1", cupy.cuda.malloc_managed(x.nbytes)), y.data.copy_from_device(x.data, x.nbytes))[0]; cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000005c20 of device 0 is made
# cannot be shown without dlcert: the non-blocking stream 0x7d1000005c30 of device 0 is made
# cannot be shown without dlcert: 0x5a is written to 4 bytes at 0x(address) on the non-blocking stream 0x7d1000005c30 of device 0, not waited for
# cannot be shown without dlcert: offer(versioned float32 cuda:0 ndim=1 shape=[1] strides=[1] flags=0x0 version=1.3 data=elsewhere storage=0 bytes)
p1 = Producer((2, 0), m1); t1 = from_dlpack(p1)
synchronize(0); synchronize(1)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (1,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000005c20): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000005c20): what follows, until the next line like this
# cannot be shown without dlcert: 4 bytes at 0x(address) are read on the legacy default stream 0x0 of device 0, which is waited for
del c1; del t1
saw(calls(m1), 1)
print("the library answers as when the fault was found", flush=True)
os._exit(1)
