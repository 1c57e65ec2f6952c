# stream.range-rejected (torch 2.10.0+cu128): values below -1 are refused on CUDA
# stream -2: found it passed to the driver as a handle
# Rule: derived: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import torch
    from torch import from_dlpack
    library = torch
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
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000020 of device 0 is made
t1 = torch.frombuffer(bytearray.fromhex("00000000"), dtype=torch.uint8).view(torch.float32).to('cuda:0').as_strided((1,), (1,), 0)
synchronize(0)
synchronize(1)
saw((str(t1.dtype), tuple(t1.shape)), ('torch.float32', (1,)))
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000020): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000020): what follows, until the next line like this
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
