# stream.non-none-optional (cupy 14.2.0): a stream that is not supported is refused, not ignored on CUDA
# elements: expected at most 1 GiB but found float32 shape=[3, 3, 4] strides=[12, 4, 4611686018427387903] offset=3 device=cuda:0
# Rule: array API draft, array_object.py __dlpack__ stream note
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
t1 = cupy.ndarray((3, 3, 4), "float32", cupy.asarray(numpy.frombuffer(bytes.fromhex("00000000000000000000000095e28df27aa95c3f8a1332e5efaabbfc08bef7448ef0a4e1b7ba2f66302db06b80c779debbce30d51fc6796f9da58515a32c087b58bf38a92661d46f49d9150d854f244b311aa7f11414b3b71c4ea9299d1e237827dfa376f82781683c4724f6c41cb44ac33908aef673e2eb635ecb6512f16cd166f9fcdccca091f095749cf7164bbe1a1b5052f8343065ef1e2bebd1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"), "u1")).data + 24, (48, 16, -4))
synchronize(0)
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (3, 3, 4)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x2): what follows, until the next line like this
# cannot be shown without dlcert: the non-blocking stream 0x(address) of device 0 is made
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x2): what follows, until the next line like this
del c1
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x2): what follows, until the next line like this
# cannot be shown without dlcert: 144 bytes at 0x(address) are read on the non-blocking stream 0x(address) of device 0, which is waited for
del c2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
