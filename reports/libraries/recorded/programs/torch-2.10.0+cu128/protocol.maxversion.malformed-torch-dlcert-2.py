# protocol.maxversion.malformed (torch 2.10.0+cu128): a max_version that is no pair of integers is refused on CUDA
# max_version=(1,): expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import torch
    from torch import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
cudart = ctypes.CDLL("libcudart.so.13")
cudart.cudaSetDevice(0)
t1 = torch.frombuffer(bytearray.fromhex("00000000"), dtype=torch.uint8).view(torch.float32).to('cuda:0').as_strided((), (), 0)
c1 = t1.__dlpack__(max_version=(1,))
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
