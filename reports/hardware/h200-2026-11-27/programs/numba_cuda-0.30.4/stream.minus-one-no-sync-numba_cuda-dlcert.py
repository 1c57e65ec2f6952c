# stream.minus-one-no-sync (numba_cuda 0.30.4): an export with -1 orders and waits for nothing on CUDA
# work on the producer's stream: expected it to be pending but it was waited for
# Rule: array API draft, array_object.py __dlpack__ stream
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
def synchronize(device):
    before = ctypes.c_int()
    cudart.cudaGetDevice(ctypes.byref(before))
    cudart.cudaSetDevice(device)
    cudart.cudaDeviceSynchronize()
    cudart.cudaSetDevice(before)
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
t1 = Handed(part(copied(0, "0000000000000000cd56f2950000000006445e2100000000389a035d0000000046c8b08b000000008a7ac8a1000000007313d7c70000000091c4d7d500000000c2fbae7f0000000028f8dc3600000000df1364ce00000000d96a821800000000b160eead00000000123c26d100000000c104813700000000050fae2b00000000b47714e200000000"), 8, shape=(2, 4, 2), strides=(64, 16, 8), typestr="<f4"))
synchronize(0)
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
del c1
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
del c2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
