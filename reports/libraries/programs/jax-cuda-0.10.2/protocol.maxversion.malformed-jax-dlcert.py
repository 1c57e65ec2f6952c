# protocol.maxversion.malformed (jax 0.10.2): a max_version that is no pair of integers is refused
# max_version=(1,): expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import mmap, os, signal, sys
try:
    import jax
    import ml_dtypes, mmap, numpy
    from jax.numpy import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
jax.config.update("jax_platforms", "cpu"); jax.config.update("jax_enable_x64", True)
t1 = jax.device_put(numpy.frombuffer((m := mmap.mmap(-1, 9), m.seek(4), m.write(bytes.fromhex("00000000")))[0], "float32", 1, 4).reshape(())).block_until_ready()
c1 = t1.__dlpack__(max_version=(1,))
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
