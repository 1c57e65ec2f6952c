# protocol.maxversion.malformed (numba_cuda 0.30.4): a max_version that is no pair of integers is refused on CUDA
# max_version=(1.5, 0): expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    from numba import cuda
    import numpy
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
cudart = ctypes.CDLL("libcudart.so.13")
from_dlpack = lambda source: cuda.InOut(source).to_device([], 0)
view = lambda x, stream: StridedMemoryView.from_cuda_array_interface(x.array, stream_ptr=stream)
own_device = lambda x: view(x, -1).__dlpack_device__()
export = lambda x, *, stream=None, **others: view(x, stream or 1).__dlpack__(**others)
hold = lambda x, array: setattr(x, "array", array)
Handed = type("Handed", (), {"__init__": hold, "__dlpack_device__": own_device, "__dlpack__": export})
on_device = lambda data: cuda.to_device(numpy.frombuffer(bytes.fromhex(data + "00"), "u1"))
copied = lambda device, data: cuda.select_device(device) and on_device(data)
at = lambda array, offset: (array.device_ctypes_pointer.value + offset, False)
interface = lambda array, offset, **layout: {"data": at(array, offset), "version": 3, **layout}
part = lambda array, *at, **layout: cuda.from_cuda_array_interface(interface(array, *at, **layout), array)
cudart.cudaSetDevice(0)
t1 = Handed(part(copied(0, "00000000"), 0, shape=(), strides=(), typestr="<f4"))
c1 = t1.__dlpack__(max_version=(1.5, 0))
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
