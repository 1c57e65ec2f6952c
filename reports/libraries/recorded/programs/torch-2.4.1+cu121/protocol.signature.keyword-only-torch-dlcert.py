# protocol.signature.keyword-only (torch 2.4.1+cu121): __dlpack__ takes its options by keyword alone
# x.__dlpack__(None): expected TypeError but it was accepted
# Rule: array API draft, function_and_method_signatures.rst rules 1 and 2
# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be imported
# or if a name in this program has no value.
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
c1 = t1.__dlpack__(None)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
