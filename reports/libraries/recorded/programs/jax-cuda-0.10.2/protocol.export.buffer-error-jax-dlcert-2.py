# protocol.export.buffer-error (jax 0.10.2): text, lists and data of which some is missing raise BufferError or are copied
# error: expected BufferError but found RuntimeError (JaxRuntimeError): This operation is implemented for a PjRt-compatible backend only.
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, mmap, os, signal, sys
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
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
cudart = ctypes.CDLL("libcudart.so.13")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
from jax._src import hardware_utils
hardware_utils.has_visible_nvidia_gpu = lambda: True
jax.config.update("jax_platforms", "cuda,cpu" if "cudart" in globals() else "cpu"); jax.config.update("jax_enable_x64", True)
t1 = jax.device_put(numpy.array(["one", "two"], numpy.dtypes.StringDType()), jax.devices("cpu")[0])
saw(error_of(lambda: t1.__dlpack__()), "JaxRuntimeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
