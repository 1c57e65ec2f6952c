# protocol.dldevice.cpu-copy-false, protocol.copy.false, stream.type-int (jax 0.10.2, CUDA plugin):
# another device with copy=False raises ValueError, and bytes are taken for a stream.
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
on_device, on_host = (jax.device_put(numpy.zeros(1, "float32"), jax.devices(name)[0])
                      for name in ("cuda", "cpu"))


def answer(call):
    try:
        return type(call()).__name__
    except Exception as error:
        return type(error).__name__


to_host = answer(lambda: on_device.__dlpack__(dl_device=(1, 0), copy=False))
to_device = answer(lambda: on_host.__dlpack__(dl_device=(2, 0), copy=False))
stream = answer(lambda: on_device.__dlpack__(stream=b"1"))
print(f"to the host: {to_host}, to the device: {to_device}, expected BufferError of both", flush=True)
print(f"stream b'1': {stream}, expected an error", flush=True)
os._exit(int((to_host, to_device, stream) == ("ValueError", "ValueError", "PyCapsule")))
