# protocol.dldevice.cpu-copy-false (cupy 14.2.0): device memory for the host with copy=False raises BufferError on CUDA
# error: expected BufferError but found ValueError: GPU memory cannot be exported to CPU without copy.
# Rule: array API draft, array_object.py __dlpack__ dl_device and copy
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
try:
    import cupy, numpy
    from cupy import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
cudart = ctypes.CDLL("libcudart.so.13")
def synchronize(device):
    before = ctypes.c_int()
    cudart.cudaGetDevice(ctypes.byref(before))
    cudart.cudaSetDevice(device)
    cudart.cudaDeviceSynchronize()
    cudart.cudaSetDevice(before)
managed = lambda x: (y := cupy.ndarray(x.shape, "u1", cupy.cuda.malloc_managed(x.nbytes)), y.data.copy_from_device(x.data, x.nbytes))[0]
cudart.cudaSetDevice(0)
t1 = cupy.ndarray((1,), "float32", cupy.asarray(numpy.frombuffer(bytes.fromhex("00000000"), "u1")).data + 0, (4,))
synchronize(0)
synchronize(1)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (1,)))
saw(error_of(lambda: t1.__dlpack__(dl_device=(1, 0), copy=False)), "ValueError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
