# protocol.export.buffer-error (torch 2.4.1+cu121): data that DLPack cannot describe raises BufferError or is copied
# error: expected BufferError but found RuntimeError: Can't export tensors that require gradient, use tensor.detach()
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
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
t1 = torch.frombuffer(bytearray.fromhex("0000803f"), dtype=torch.uint8).view(torch.float32).as_strided((), (), 0).requires_grad_()
saw(error_of(lambda: t1.__dlpack__()), "RuntimeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
