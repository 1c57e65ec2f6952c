# stream.cuda.zero-rejected (cupy 14.2.0): stream 0 is taken, with a warning
# Rule: array API draft, __dlpack__, stream: of CUDA 0 is disallowed, since it may be either default stream
# Run: dlcert with-simulated-gpu python THIS, or with a GPU
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import cupy, numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
try:
    found = cupy.asarray(numpy.array([1], "float32")).__dlpack__(stream=0)
except Exception as error:
    sys.exit(print(repr(error), flush=True))
print(f"stream=0: {found}; expected a refusal", flush=True)
sys.exit(1)
