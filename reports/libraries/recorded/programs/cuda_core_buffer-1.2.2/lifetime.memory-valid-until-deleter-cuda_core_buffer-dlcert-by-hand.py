# lifetime.memory-valid-until-deleter (cuda_core_buffer 1.2.2): Buffer.close() frees memory that an
# export still refers to. No rule forbids it; the page of this library says why.
# Run: dlcert with-simulated-gpu python THIS; a GPU may give other values, or none
# Exit code: 1 when the memory is freed, 0 when it is not, 2 when the library cannot be imported.
import sys
try:
    from cuda.bindings import driver
    from cuda.core import Device, LEGACY_DEFAULT_STREAM
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
Device(0).set_current()
x = Device(0).allocate(4, stream=LEGACY_DEFAULT_STREAM)
driver.cuMemcpyHtoD(int(x.handle), bytes([7] * 4), 4)
y = StridedMemoryView.from_dlpack(x, stream_ptr=-1)


def read():
    found = bytearray(4)
    status, = driver.cuMemcpyDtoH(found, y.ptr, 4)
    return status.name, found[0]


before = read()
x.close()
driver.cuCtxSynchronize()
after = read()
print(f"the consumer's view reads {before}, behind the producer's close() {after}", flush=True)
sys.exit(int(before != after))
