# stream.producer-orders (cupy 14.2.0): pending work precedes what the consumer enqueues next on CUDA
# allocate of the harness: expected success but found cudaErrorMemoryAllocation (2), which an earlier call left behind
# Rule: DLPack docs/source/python_spec.rst @7f393bb lines 47-48; array API draft, array_object.py __dlpack__ stream
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
t1 = cupy.ndarray((3,), "int64", cupy.asarray(numpy.frombuffer(bytes.fromhex("0000000000000000c5a323b3251619bfea6c20ed09cb0b782c25a272c4753896000000000000000000000000000000000000000000000000"), "u1")).data + 24, (-8,))
synchronize(0)
saw((str(t1.dtype), tuple(t1.shape)), ('int64', (3,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
del c1
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
# cannot be shown without dlcert: 18446744073709551608 bytes at 0x(address) are read on the per-thread default stream 0x2 of device 0, which is waited for
del c2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
