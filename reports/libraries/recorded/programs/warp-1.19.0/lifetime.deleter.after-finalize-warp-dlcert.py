# lifetime.deleter.after-finalize (warp 1.19.0): a deleter that is called behind the interpreter's end returns
# a deleter behind the interpreter's end: expected its return but the process was ended by signal 11
# Rule: DLPack docs/source/python_spec.rst @7f393bb lines 141-149
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
# cannot be shown without dlcert: fork: what follows happens in the child
# cannot be shown without dlcert: the child ended: ended
# cannot be shown without dlcert: fork: what follows happens in the child
# cannot be shown without dlcert: the child was ended by signal 11
print("the library answers as when the fault was found", flush=True)
os._exit(1)
