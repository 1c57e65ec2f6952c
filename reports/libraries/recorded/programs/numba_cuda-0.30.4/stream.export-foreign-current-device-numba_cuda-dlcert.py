# stream.export-foreign-current-device (numba_cuda 0.30.4): an export leaves another current device alone on CUDA
# write by copy, operation 2454 of the legacy default stream of device 0 and read by copy_async, operation 353 of stream 0x7d1000002b00 of device 0 are not ordered: nothing makes stream 0x7d1000002b00 of device 0 wait for operation 2454 of the legacy default stream of device 0 (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 4)
# Rule: derived: array API draft, array_object.py __dlpack__ stream
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
t1 = Handed(part(copied(0, "00000000"), 0, shape=(1,), strides=(4,), typestr="<f4"))
synchronize(0)
synchronize(1)
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
# cannot be shown without dlcert: the non-blocking stream 0x7d1000002b00 of device 0 is made
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x0): what follows, until the next line like this
# cannot be shown without dlcert: 4 bytes at 0x(address) are read on the non-blocking stream 0x7d1000002b00 of device 0, which is waited for
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
