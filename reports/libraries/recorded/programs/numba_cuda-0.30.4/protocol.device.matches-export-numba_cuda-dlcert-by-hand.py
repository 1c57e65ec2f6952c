# protocol.device.matches-export (numba_cuda 0.30.4): an array without elements on a device leaves as one on the host.
# Rule: array API draft, __dlpack_device__. Numba gives the address 0, as its page on the CUDA Array Interface says,
# and cuda.core takes what CUDA does not know for the host's
# Run: dlcert with-simulated-gpu python THIS
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
    from numba import cuda
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)

x = cuda.device_array((0, 3), numpy.float32)
device = StridedMemoryView.from_any_interface(x, stream_ptr=1).__dlpack_device__()
print(f"__dlpack_device__(): {tuple(map(int, device))}, expected (2, 0)", flush=True)
sys.exit(int(device[0] != 2))
