# stream.managed.unspecified (cupy 14.2.0): how pinned and managed memory is exported is recorded on CUDA
# elements: expected at most 1 GiB but found float32 shape=[2] strides=[4611686018427387903] offset=0 device=cuda_managed:0
# Rule: derived: array API draft, array_object.py __dlpack__ stream; dlpack.h v1.3 kDLCUDAManaged
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
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
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
cudart = ctypes.CDLL("libcudart.so.13")
def synchronize(device):
    before = ctypes.c_int()
    cudart.cudaGetDevice(ctypes.byref(before))
    cudart.cudaSetDevice(device)
    cudart.cudaDeviceSynchronize()
    cudart.cudaSetDevice(before)
managed = lambda x: (y := cupy.ndarray(x.shape, "u1", cupy.cuda.malloc_managed(x.nbytes)), y.data.copy_from_device(x.data, x.nbytes))[0]
cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000001a40 of device 0 is made
t1 = cupy.ndarray((2,), "float32", managed(cupy.asarray(numpy.frombuffer(bytes.fromhex("00000000000000000000000000000000"), "u1"))).data + 4, (-4,))
synchronize(0)
synchronize(1)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (2,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000001a40): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000001a40): what follows, until the next line like this
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
