# protocol.dldevice.unsupported (torch 2.10.0+cu128): a device that the producer does not have raises BufferError on CUDA
# error: expected BufferError but found NotImplementedError: Could not run 'aten::empty_strided' with arguments from the 'MPS' backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build). If you are a Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resoluti ...
# Rule: array API draft, array_object.py __dlpack__ dl_device
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import torch
    from torch import from_dlpack
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
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
cudart = ctypes.CDLL("libcudart.so.13")
cudart.cudaSetDevice(0)
t1 = torch.frombuffer(bytearray.fromhex("00000000"), dtype=torch.uint8).view(torch.float32).to('cuda:0').as_strided((), (), 0)
saw(error_of(lambda: t1.__dlpack__(dl_device=(8, 0))), "NotImplementedError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
