# protocol.from.same-device-default (jax 0.10.2): an import of the library's own tensor is on the device of that tensor
# device of the import: expected "cpu:1" but found "cpu:0"
# Rule: array API draft, creation_functions.py from_dlpack device
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
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
jax.config.update("jax_platforms", "cpu"); jax.config.update("jax_enable_x64", True)
t1 = jax.device_put(numpy.frombuffer((m := mmap.mmap(-1, 9), m.seek(0), m.write(bytes.fromhex("0000000000000000")))[0], "float32", 2, 0).reshape((2,)), jax.devices("cpu")[1]).block_until_ready()
saw((str(t1.dtype), tuple(t1.shape)), ('float32', (2,)))
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
jax.config.update("jax_platforms", "cpu"); jax.config.update("jax_enable_x64", True)
t2 = from_dlpack(t1)
saw(str(str(t2.device)), "cpu:0")
saw(str(str(t1.device)), "cpu:1")
del t2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
