# protocol.maxversion.consumer-verifies (numba_cuda 0.30.4): a tensor of DLPack 2.0 is given to a kernel as one of 1.
# Rule: array API draft, max_version: the consumer verifies the version; dlpack.h, DLPackVersion: of another major one it reads nothing
# Run: dlcert with-simulated-gpu python THIS
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes
import os
import sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
    from numba import cuda
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
api = ctypes.PyDLL(None)
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class OfVersion2:
    """A tensor of cuda.core's whose first member, the major version, has been changed."""
    view = StridedMemoryView.from_any_interface(cuda.to_device(numpy.zeros(3, "f4")), stream_ptr=1)
    __dlpack_device__ = view.__dlpack_device__

    def __dlpack__(self, **asked):
        capsule = self.view.__dlpack__(max_version=(1, 3))
        ctypes.c_uint32.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")).value = 2
        return capsule


try:
    argument = cuda.InOut(OfVersion2()).to_device([], 0)
except BufferError as error:
    print(f"refused: {error}", flush=True)
    os._exit(0)
print(f"taken: {argument.shape}, {argument.dtype}", flush=True)
os._exit(1)
