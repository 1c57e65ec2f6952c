# protocol.signature.keyword-only (warp 1.19.0): __dlpack__ takes its options by keyword alone
# x.__dlpack__(None): expected TypeError but it was accepted
# Rule: array API draft, function_and_method_signatures.rst rules 1 and 2
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import numpy, warp
    from warp import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
warp.init()
t1 = warp.array(numpy.ndarray((1,), "float32", bytearray.fromhex("00000000"), 0, (4,)), warp.float32, copy=False, device="cpu")
c1 = t1.__dlpack__(None)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
