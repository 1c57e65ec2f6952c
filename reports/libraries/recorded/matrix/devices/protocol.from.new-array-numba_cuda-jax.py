# protocol.from.new-array (numba_cuda 0.30.4 to jax 0.10.2): what one library made on a device arrives in the other, in each dtype of both on CUDA
# elements: expected 48 bytes 00000000000000000000000000000000...00000000000000000000000000000000 but found 48 bytes a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5...a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5
# Rule: array API draft, creation_functions.py from_dlpack Returns; DLPack docs/source/python_spec.rst @7f393bb lines 15-18
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, mmap, os, signal, sys
try:
    from numba import cuda
    import numpy
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
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
t1 = Handed(part(copied(0, "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"), 0, shape=(2, 3), strides=(24, 8), typestr="<f8"))
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
jax.config.update("jax_platforms", "cpu"); jax.config.update("jax_enable_x64", True)
t2 = from_dlpack(t1)
saw((str(t2.dtype), tuple(t2.shape)), ('float64', (2, 3)))
saw(numpy.asarray(t2).tobytes().hex(), "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5")
del t2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
