# devices.visible.sign-only (torch 2.15.0+cu132): a sign without digits raises ValueError
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, sys
os.environ["CUDA_VISIBLE_DEVICES"] = "-"
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
try:
    print(torch.cuda._parse_visible_devices(), flush=True)
    sys.exit(0)
except ValueError as error:
    print(error, flush=True)
    sys.exit(1)
