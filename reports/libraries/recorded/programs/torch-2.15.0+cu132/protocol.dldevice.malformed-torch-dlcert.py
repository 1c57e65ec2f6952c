# protocol.dldevice.malformed (torch 2.15.0+cu132): a dl_device that is no pair of integers is refused
# dl_device=(): expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ dl_device; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import torch
    from torch import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
t1 = torch.frombuffer(bytearray.fromhex("00000000"), dtype=torch.uint8).view(torch.float32).as_strided((), (), 0)
c1 = t1.__dlpack__(dl_device=())
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
