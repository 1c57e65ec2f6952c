# stream.range-rejected (torch 2.10.0+cu128): -2 is no stream, and is handed to CUDA as one
# Rule: array API draft, __dlpack__, stream: an integer, -1 the least
# Run: dlcert with-simulated-gpu python THIS; a real CUDA may follow the handle, which ends the process
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
x = torch.tensor([1.0]).to("cuda:0")
try:
    found = repr(x.__dlpack__(stream=-2))
except Exception as error:
    found = f"{type(error).__name__}: {error}".splitlines()[0]
print(f"stream=-2: {found}; expected a refusal that CUDA does not make", flush=True)
sys.exit(int("CUDA error" in found or found.startswith("<capsule")))
