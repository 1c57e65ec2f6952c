# protocol.export.values (numba_cuda 0.30.4): a broadcast array says that it is contiguous, and who believes
# it reads beyond its memory.
# Rule: array API draft, __dlpack__: the array itself; dlpack.h, DLTensor.strides. Numba's page on the CUDA Array Interface: no strides is a layout that is C-contiguous
# Run: dlcert with-simulated-gpu python THIS
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import numpy
    from cuda.core.utils import StridedMemoryView
    from numba import cuda
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)

x = cuda.to_device(numpy.broadcast_to(numpy.float32([1, 2, 3]), (2, 3)))
view = StridedMemoryView.from_any_interface(x, stream_ptr=1)
exported = StridedMemoryView.from_dlpack(view, stream_ptr=1)
print(f"Numba: {x.shape}, {x.strides} bytes, {x.alloc_size} bytes of memory; it says {x.__cuda_array_interface__['strides']}; "
      f"exported {exported.shape}, {exported.strides} elements", flush=True)
sys.exit(int(exported.strides[0] != 0))
