# stream.range-rejected, stream.cuda.zero-rejected (jax 0.10.2, CUDA plugin): stream 0 is taken, and -1
# and -2 reach the driver as handles.
# Rule: array API, __dlpack__, stream: of CUDA 0 is disallowed, -1 asks for no order, and none is below
# Run: dlcert with-simulated-gpu python THIS
# Exit code: 1 when the library shows the faults, 0 when it does not, 2 when it cannot be imported.
import os, sys
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
try:
    import jax, numpy
    from jax._src import hardware_utils
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
hardware_utils.has_visible_nvidia_gpu = lambda: True  # looks for /dev/nvidia0
jax.config.update("jax_platforms", "cuda,cpu")
x = jax.device_put(numpy.zeros(1, "float32"), jax.devices("cuda")[0])


def answer(stream):
    try:
        return type(x.__dlpack__(stream=stream)).__name__
    except Exception as error:
        return str(error)


found = {stream: answer(stream) for stream in (0, -1, -2)}
for stream, what in found.items():
    print(f"stream={stream}: {what}", flush=True)
is_handle = ["INVALID_HANDLE" in found[stream] for stream in (-1, -2)]
os._exit(int(found[0] == "PyCapsule" and all(is_handle)))
