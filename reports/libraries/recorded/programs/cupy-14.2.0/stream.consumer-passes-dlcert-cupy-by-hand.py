# stream.consumer-passes (cupy 14.2.0): managed memory of device 1 that reports itself as (13, 0), as
# dlpack.h has it, is asked for with device 0's current stream, and becomes an array on device 1.
# Rule: DLPack's Python page: the consumer must pass the stream it will use to the producer
# Run: dlcert with-simulated-gpu --devices 2 python THIS (work runs late there)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import cupy, numpy
    from cupy.cuda import runtime
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
TO_HOST = 2


class Lent:
    """Orders its pending write before the stream that is named."""

    def __dlpack_device__(self):
        return 13, 0

    def __dlpack__(self, *, stream=None, **other):
        with cupy.cuda.Device(1):
            x.data.copy_from_host_async(memory.ptr, 4, pending)
            written = cupy.cuda.Event()
            written.record(pending)
            runtime.streamWaitEvent(stream, written.ptr)
            return x.__dlpack__(stream=-1)


streams = []
for device in 0, 1:
    with cupy.cuda.Device(device):
        streams.append(cupy.cuda.Stream(non_blocking=True))
        streams[-1].use()
with cupy.cuda.Device(1):
    x, memory = cupy.ndarray((1,), "float32", cupy.cuda.malloc_managed(4)), cupy.cuda.alloc_pinned_memory(4)
    values, pending = numpy.frombuffer(memory, "float32", 1), cupy.cuda.Stream(non_blocking=True)
    values[:] = 1
    x.data.copy_from_host(memory.ptr, 4)
    values[:] = 7
    y = cupy.from_dlpack(Lent())
    found = cupy.cuda.alloc_pinned_memory(4)
    runtime.memcpyAsync(found.ptr, y.data.ptr, 4, TO_HOST, cupy.cuda.get_current_stream().ptr)
    cupy.cuda.get_current_stream().synchronize()
value = numpy.frombuffer(found, "float32", 1)[0]
print(f"on {y.device}, its current stream reads {value}; expected 7.0", flush=True)
sys.exit(int(value != 7))
