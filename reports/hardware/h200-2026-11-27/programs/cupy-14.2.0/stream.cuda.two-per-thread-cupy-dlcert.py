# stream.cuda.two-per-thread (cupy 14.2.0): 2 orders against the caller's per-thread default stream
# elements: expected at most 1 GiB but found float64 shape=[2, 2] strides=[2, 2305843009213693951] offset=0 device=cuda:0
# Rule: array API draft, array_object.py __dlpack__ CUDA values
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import cupy, numpy
    from cupy import from_dlpack
    library = cupy, numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
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
cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x(address) of device 0 is made
t1 = cupy.ndarray((2, 2), "float64", cupy.asarray(numpy.frombuffer(bytes.fromhex("000000000000000024fe685488494407a9e8ec58cfb9e6e20ed338c9d2b6836de94d1edfab5919890000000000000000000000000000000000000000000000000000000000000000"), "u1")).data + 16, (16, -8))
synchronize(0)
saw((str(t1.dtype), tuple(t1.shape)), ('float64', (2, 2)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x(address)): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x(address)): what follows, until the next line like this
del c1
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x(address)): what follows, until the next line like this
# cannot be shown without dlcert: 16 bytes at 0x(address) are read on the per-thread default stream 0x2 of device 0, which is waited for
del c2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
