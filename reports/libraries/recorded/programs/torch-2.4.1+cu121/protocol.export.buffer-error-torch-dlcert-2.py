# protocol.export.buffer-error (torch 2.4.1+cu121): text, lists and data of which some is missing raise BufferError or are copied
# error: expected BufferError but found RuntimeError: Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.
# Rule: array API draft, array_object.py __dlpack__ Raises
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
t1 = torch.nested.nested_tensor([torch.ones(1), torch.ones(2)])
saw(error_of(lambda: t1.__dlpack__()), "RuntimeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
