# runtime.external-stream (torch 2.4.1+cu121): an external stream keeps its handle, zero included on CUDA
# handle of an external stream: expected 0 but found 137507672948736
# Rule: torch 2.4 torch/cuda/streams.py ExternalStream; c10/cuda/CUDAStream.cpp getStreamFromExternal
# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be imported
# or if a name in this program has no value.
import os, signal, sys
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
# cannot be shown without dlcert: DLCERT_MANAGEMENT="devices=3;trace.descriptor=3"
# cannot be shown without dlcert: library.external_stream(0x0, 0)
print("the library answers as when the fault was found", flush=True)
os._exit(1)
