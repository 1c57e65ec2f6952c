# stream.cuda.handle (cuda_core_buffer 1.2.2): a value above 2 orders against the stream of that handle
# write by copy_async, operation 3 of stream 0x7d1000000040 of device 0 and read by copy_async, operation 3 of stream 0x7d1000000050 of device 0 are not ordered: nothing makes stream 0x7d1000000050 of device 0 wait for operation 3 of stream 0x7d1000000040 of device 0 (bytes 0x(address) to 0x(address), 0 bytes into an allocation of 1)
# Rule: array API draft, array_object.py __dlpack__ CUDA values
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
def synchronize(device):
    before = ctypes.c_int()
    cudart.cudaGetDevice(ctypes.byref(before))
    cudart.cudaSetDevice(device)
    cudart.cudaDeviceSynchronize()
    cudart.cudaSetDevice(before)
made = lambda device, data: (device.set_current(), x := device.allocate(len(data), stream=LEGACY_DEFAULT_STREAM), driver.cuMemcpyHtoD(int(x.handle), data, len(data)))[1]
cudart.cudaSetDevice(0)
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000040 of device 0 is made
t1 = made(Device(0), bytes.fromhex("00"))
synchronize(0)
synchronize(1)
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000040): what follows, until the next line like this
# cannot be shown without dlcert: the non-blocking stream 0x7d1000000050 of device 0 is made
# cannot be shown without dlcert: library.run_with_stream(cuda:0, 0x7d1000000040): what follows, until the next line like this
# cannot be shown without dlcert: 1 bytes at 0x(address) are read on the non-blocking stream 0x7d1000000050 of device 0, which is waited for
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
