# protocol.copy.false (torch 2.15.0+cu132): copy=False raises BufferError for another device
# error: expected BufferError but found ValueError: cannot move (i.e. copy=False) tensor from cpu to cuda:0 without copying.
# Rule: array API draft, array_object.py __dlpack__ copy
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
t1 = torch.frombuffer(bytearray.fromhex("00000000"), dtype=torch.uint8).view(torch.float32).as_strided((), (), 0)
saw(error_of(lambda: t1.__dlpack__(dl_device=(2, 0), copy=False)), "ValueError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
