# stream.copy-over-stream (torch 2.15.0+cu132): a copy is made on the consumer's stream, in order on CUDA
# stream of copy_async: expected the consumer's 0x7d1000000040 but found 0x7d1000000030
# Rule: array API draft, array_object.py __dlpack__ note on copy
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
try:
    import torch
    from torch import from_dlpack
    library = torch
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
cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000030 of device 0 is made
t1 = torch.frombuffer(bytearray.fromhex("00000000"), dtype=torch.uint8).view(torch.float32).to('cuda:0').as_strided((1,), (1,), 0)
synchronize(0)
synchronize(1)
saw((str(t1.dtype), tuple(t1.shape)), ('torch.float32', (1,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): what follows, until the next line like this
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000040 of device 0 is made
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): what follows, until the next line like this
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
