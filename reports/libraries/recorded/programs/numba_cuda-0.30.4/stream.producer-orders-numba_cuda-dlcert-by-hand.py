# stream.producer-orders (numba_cuda 0.30.4): an array without a stream of its own names none, and what Numba
# has left to CUDA's default stream is ordered before no stream that does not wait for that one.
# Rule: array API draft, __dlpack__, stream: the producer's pending work on the data comes first. Numba's page on
# the CUDA Array Interface: its stream is None if there is no work enqueued on the data
# Run: dlcert with-simulated-gpu python THIS (work runs late there)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import numpy
    from cuda.core import Device
    from cuda.core.utils import StridedMemoryView
    from numba import cuda
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)


def read_behind_export(stream):
    source = cuda.to_device(numpy.float32([7]))
    x = cuda.to_device(numpy.float32([1]), stream=stream)
    cuda.synchronize()
    x.copy_to_device(source)  # from device to device: the host does not wait for it
    consumer = Device().create_stream()
    view = StridedMemoryView.from_any_interface(x, stream_ptr=int(consumer.handle))
    capsule = view.__dlpack__(max_version=(1, 3))
    found = cuda.pinned_array(1, numpy.float32)
    x.copy_to_host(found, stream=cuda.external_stream(int(consumer.handle)))
    consumer.sync()
    return found[0], x.__cuda_array_interface__["stream"]


Device(0).set_current()
named, default = read_behind_export(cuda.legacy_default_stream()), read_behind_export(0)
print(f"with the default stream named: {named}, without: {default}; expected 7.0 of both", flush=True)
sys.exit(int(default[0] != named[0]))
