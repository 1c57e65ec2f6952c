# stream.producer-orders (cuda_core_buffer 1.2.2): __dlpack__ looks at no stream, and orders nothing that is pending
# Rule: array API draft, __dlpack__, stream: the producer's pending work on the data comes first
# Run: dlcert with-simulated-gpu python THIS (work runs late there); on a GPU the read may win the race
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
try:
    from cuda.bindings import driver
    from cuda.core import Device, LegacyPinnedMemoryResource
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
device, LEGACY, PER_THREAD = Device(0), 1, 2
device.set_current()
own, another = device.create_stream(), device.create_stream()


def pinned(value):
    memory = LegacyPinnedMemoryResource().allocate(4)
    ctypes.c_float.from_address(int(memory.handle)).value = value
    return memory


def read_behind(reads_on, **arguments):
    x, one, seven, found = device.allocate(4, stream=own), pinned(1), pinned(7), pinned(0)
    x.copy_from(one, stream=own)
    own.sync()
    x.copy_from(seven, stream=own)
    capsule = x.__dlpack__(**arguments)
    driver.cuMemcpyDtoHAsync(int(found.handle), int(x.handle), 4, reads_on)
    driver.cuStreamSynchronize(reads_on)
    own.sync()  # before the memory is used again
    return ctypes.c_float.from_address(int(found.handle)).value


ordered = read_behind(int(own.handle), stream=int(own.handle))
reads_on = {None: LEGACY, 1: LEGACY, 2: PER_THREAD, int(another.handle): int(another.handle)}
others = [read_behind(LEGACY), *(read_behind(reads, stream=stream) for stream, reads in reads_on.items())]
print(f"its own stream: {ordered}; left out, None, 1, 2, another's handle: {others}; expected 7.0 of all", flush=True)
sys.exit(int(any(value != ordered for value in others)))
