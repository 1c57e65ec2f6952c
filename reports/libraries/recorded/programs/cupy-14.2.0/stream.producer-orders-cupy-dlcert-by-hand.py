# stream.producer-orders (cupy 14.2.0): while another device is current, __dlpack__ orders what is on
# the current stream of that device, and not what is on the array's.
# Rule: array API draft, __dlpack__, stream: the producer's pending work on the data comes first
# Run: dlcert with-simulated-gpu --devices 2 python THIS (work runs late there)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import cupy, numpy
    from cupy.cuda import runtime
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
LEGACY, TO_HOST = 1, 2


def read_behind_export(current_device):
    with cupy.cuda.Device(0):
        x = cupy.asarray(numpy.array([1], "float32"))
        cupy.cuda.Device(0).synchronize()
        memory = cupy.cuda.alloc_pinned_memory(4)
        numpy.frombuffer(memory, "float32", 1)[:] = 7
        with cupy.cuda.Stream(non_blocking=True) as stream:
            x.data.copy_from_host_async(memory.ptr, 4, stream)
            with cupy.cuda.Device(current_device):
                capsule = x.__dlpack__(stream=LEGACY)
        found = numpy.zeros(1, "float32")
        runtime.memcpyAsync(found.ctypes.data, x.data.ptr, 4, TO_HOST, LEGACY)
        runtime.streamSynchronize(LEGACY)
    return found[0]


own, other = read_behind_export(0), read_behind_export(1)
print(f"its own device current: {own}, another one: {other}; expected 7.0 of both", flush=True)
sys.exit(int(other != own))
