# protocol.maxversion.malformed (mlx 0.32.4): a max_version that is no pair of integers is refused
# max_version=1: expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import mlx.core
    from mlx.core import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
t1 = mlx.core.as_strided(mlx.core.array(bytearray.fromhex("00000000")).view(mlx.core.float32), (), (), 0)
c1 = t1.__dlpack__(max_version=1)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
