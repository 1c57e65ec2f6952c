# devices.visible.sign-only (torch 2.10.0+cu128): a sign without digits ends the list on CUDA
# visible_devices: expected success but found ValueError: invalid literal for int() with base 10: '-'
# Rule: derived: torch 2.4 torch/cuda/__init__.py _parse_visible_devices (docstring of the number reader)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import torch
    from torch import from_dlpack
    library = torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
# cannot be shown without dlcert: CUDA_VISIBLE_DEVICES="-"
# cannot be shown without dlcert: DLCERT_MANAGEMENT="devices=2;trace.descriptor=3"
# cannot be shown without dlcert: library.visible_devices()
print("the library answers as when the fault was found", flush=True)
os._exit(1)
