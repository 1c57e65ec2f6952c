# protocol.dlpack.signature (torch 2.4.1+cu121): __dlpack__ takes max_version, dl_device and copy, each and all, None or a value
# x.__dlpack__(max_version=None): expected a capsule but found TypeError: Tensor.__dlpack__() got an unexpected keyword argument 'max_version'
# Rule: array API draft, array_object.py __dlpack__ signature (lines 317-325)
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
saw(error_of(lambda: t1.__dlpack__(max_version=None)), "TypeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
