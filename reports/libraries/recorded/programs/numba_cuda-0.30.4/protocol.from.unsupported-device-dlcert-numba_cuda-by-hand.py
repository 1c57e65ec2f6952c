# protocol.from.unsupported-device (numba_cuda 0.30.4): a tensor on the host is given to a kernel by its address there.
# Rule: array API draft, from_dlpack: BufferError for a source on a device that the consumer cannot handle
# (of NumPy's arrays Numba makes a copy on the device)
# Run: dlcert with-simulated-gpu python THIS
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import numpy
    from numba import cuda
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)


class OnHost:
    """As PyTorch's tensors on the host, and whatever else is no array of NumPy's."""
    array = numpy.float32([1, 2, 3])
    __dlpack_device__ = array.__dlpack_device__
    __dlpack__ = array.__dlpack__


argument = cuda.InOut(OnHost()).to_device([], 0)
print(f"the kernel would get {argument.ptr:#x}, the host's {OnHost.array.ctypes.data:#x}", flush=True)
sys.exit(int(argument.ptr == OnHost.array.ctypes.data))
