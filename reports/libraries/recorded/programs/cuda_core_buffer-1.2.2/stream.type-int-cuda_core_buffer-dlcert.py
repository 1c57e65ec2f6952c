# stream.type-int (cuda_core_buffer 1.2.2): what is no integer is refused as a stream on CUDA
# stream=1.5: expected a refusal but it was accepted
# Rule: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    from cuda.bindings import driver
    from cuda.core import Device, LEGACY_DEFAULT_STREAM
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
cudart = ctypes.CDLL("libcudart.so.13")
made = lambda device, data: (device.set_current(), x := device.allocate(len(data), stream=LEGACY_DEFAULT_STREAM), driver.cuMemcpyHtoD(int(x.handle), data, len(data)))[1]
cudart.cudaSetDevice(0)
t1 = made(Device(0), bytes.fromhex("00"))
c1 = t1.__dlpack__(stream=1.5)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
