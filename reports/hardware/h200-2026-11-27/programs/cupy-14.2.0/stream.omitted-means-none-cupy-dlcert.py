# stream.omitted-means-none (cupy 14.2.0): leaving the stream out orders what None orders on CUDA
# elements: expected at most 1 GiB but found float32 shape=[4, 2, 2] strides=[4, 2, 4611686018427387903] offset=0 device=cuda:0
# Rule: array API draft, array_object.py __dlpack__ signature
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
t1 = cupy.ndarray((4, 2, 2), "float32", cupy.asarray(numpy.frombuffer(bytes.fromhex("0000000000000000ece20e2d9b68c078580a0b755615132db0cfe2a21248767a8b7d8a4ea7f156ef69b54392c84a6625876d41103f06026073436c5d778c18428bb3fdbf9ce4891a00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"), "u1")).data + 12, (16, 8, -4))
synchronize(0)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (4, 2, 2)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x(address)): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x(address)): what follows, until the next line like this
del c1
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x(address)): what follows, until the next line like this
# cannot be shown without dlcert: 56 bytes at 0x(address) are read on the legacy default stream 0x0 of device 0, which is waited for
del c2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
