# lifetime.deleter.after-finalize (cupy 14.2.0): a deleter of device memory that is called behind the interpreter's end returns on CUDA
# a deleter behind the interpreter's end: expected its return but the process was ended by signal 11
# Rule: DLPack docs/source/python_spec.rst @7f393bb lines 141-149
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import cupy, numpy
    from cupy import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
managed = lambda x: (y := cupy.ndarray(x.shape, "u1", cupy.cuda.malloc_managed(x.nbytes)), y.data.copy_from_device(x.data, x.nbytes))[0]
# cannot be shown without dlcert: fork: what follows happens in the child
# cannot be shown without dlcert: the child ended: ended
# cannot be shown without dlcert: fork: what follows happens in the child
# cannot be shown without dlcert: the child was ended by signal 11
print("the library answers as when the fault was found", flush=True)
os._exit(1)
