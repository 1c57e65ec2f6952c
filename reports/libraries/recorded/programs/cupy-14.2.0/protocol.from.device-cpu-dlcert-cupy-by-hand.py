# protocol.from.device-cpu (cupy 14.2.0): from_dlpack() knows no device, and does not refuse it as the standard has it
# Rule: array API draft, from_dlpack, device: BufferError where the array cannot be brought there
# Run: dlcert with-simulated-gpu python THIS, or with a GPU
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import cupy, numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
found = "an array"
try:
    cupy.from_dlpack(cupy.asarray(numpy.array([1], "float32")), device=(1, 0))
except Exception as error:
    found = repr(error)
print(f"from_dlpack(x, device=(1, 0)): {found}; expected an array on the host, or BufferError", flush=True)
sys.exit(int(found != "an array" and not found.startswith("BufferError")))
