# protocol.dlpack.signature (cuda_core_buffer 1.2.2): __dlpack__ takes max_version, dl_device and copy, each and all, None or a value on CUDA
# x.__dlpack__(dl_device=x.__dlpack_device__()): expected a capsule but found BufferError: Sorry, not supported: dl_device other than None
# Rule: array API draft, array_object.py __dlpack__ signature (lines 317-325)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    from cuda.bindings import driver
    from cuda.core import Device, LEGACY_DEFAULT_STREAM
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
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
cudart = ctypes.CDLL("libcudart.so.13")
made = lambda device, data: (device.set_current(), x := device.allocate(len(data), stream=LEGACY_DEFAULT_STREAM), driver.cuMemcpyHtoD(int(x.handle), data, len(data)))[1]
cudart.cudaSetDevice(0)
t1 = made(Device(0), bytes.fromhex("00"))
saw(error_of(lambda: t1.__dlpack__(dl_device=t1.__dlpack_device__())), "BufferError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
