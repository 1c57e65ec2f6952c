# stream.type-int (cuda_core_buffer 1.2.2): what is no stream is taken as one
# Rule: array API draft, __dlpack__, stream: an integer, of CUDA 0 disallowed, none below -1, or None
# Run: dlcert with-simulated-gpu python THIS, or with a GPU
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    from cuda.core import Device, LEGACY_DEFAULT_STREAM
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
Device(0).set_current()
x = Device(0).allocate(4, stream=LEGACY_DEFAULT_STREAM)
taken = []
for stream in (0, 1.5, -2):
    try:
        x.__dlpack__(stream=stream)
        taken.append(stream)
    except Exception as error:
        print(f"{stream}: {error!r}", flush=True)
print(f"taken: {taken}; expected none", flush=True)
sys.exit(int(bool(taken)))
