# devices.visible.sign-only (torch 2.4.1+cu121): a sign without digits ends the list on CUDA
# visible_devices: expected success but found ValueError: invalid literal for int() with base 10: '-'
# Rule: derived: torch 2.4 torch/cuda/__init__.py _parse_visible_devices (docstring of the number reader)
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
# cannot be shown without dlcert: CUDA_VISIBLE_DEVICES="-"
# cannot be shown without dlcert: DLCERT_MANAGEMENT="devices=2;trace.descriptor=3"
# cannot be shown without dlcert: library.visible_devices()
print("the library answers as when the fault was found", flush=True)
os._exit(1)
