# runtime.external-stream (torch 2.10.0+cu128): the null handle is taken for no handle, and gives a stream of the pool
# Rule: torch 2.4 torch/cuda/streams.py ExternalStream; c10/cuda/CUDAStream.cpp getStreamFromExternal
# Run: dlcert with-simulated-gpu python THIS, or with a GPU
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
found = torch.cuda.ExternalStream(0).cuda_stream
print(f"ExternalStream(0).cuda_stream is {found:#x}; expected 0x0, the default stream", flush=True)
sys.exit(int(found != 0))
