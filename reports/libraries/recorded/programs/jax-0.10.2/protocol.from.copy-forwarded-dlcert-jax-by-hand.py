# protocol.from.copy-forwarded (jax 0.10.2): a copy sees writes to its source.
# Rule: array API, from_dlpack, copy: True: always copy.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import mmap
import sys
try:
    import jax.numpy
    import numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
source = numpy.frombuffer(mmap.mmap(-1, 64), "float32")  # aligned to 64 bytes
copied = jax.numpy.from_dlpack(source, copy=True).block_until_ready()
source[:] = 1
print(copied)
sys.exit(bool(numpy.asarray(copied).any()))
