# stream.cuda.none-legacy-default (torch 2.4.1+cu121): None orders against the legacy default stream
# write by copy_async, operation 3 of stream 0x7d1000000030 of device 0 and read by copy_async, operation 6 of the legacy default stream of device 0 are not ordered: nothing makes the legacy default stream of device 0 wait for operation 3 of stream 0x7d1000000030 of device 0 (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 2097152)
# Rule: array API draft, array_object.py __dlpack__ CUDA values
# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be imported
# or if a name in this program has no value.
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
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): this stream is current in the next lines
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000030): this stream is current in the next lines
# cannot be shown without dlcert: 4 bytes at 0x(address) are read on the legacy default stream 0x0 of device 0, which is waited for
del c2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
