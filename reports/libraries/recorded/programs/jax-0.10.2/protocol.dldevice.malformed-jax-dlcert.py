# protocol.dldevice.malformed (jax 0.10.2): a dl_device that is no pair of integers is refused
# dl_device=(): expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ dl_device; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import mmap, os, signal, sys
try:
    import os
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
jax.config.update("jax_platforms", "cpu"); jax.config.update("jax_enable_x64", True)
t1 = jax.device_put(numpy.frombuffer((m := mmap.mmap(-1, 9), m.seek(4), m.write(bytes.fromhex("00000000")))[0], "float32", 1, 4).reshape(()), jax.devices("cpu")[0]).block_until_ready()
c1 = t1.__dlpack__(dl_device=())
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
