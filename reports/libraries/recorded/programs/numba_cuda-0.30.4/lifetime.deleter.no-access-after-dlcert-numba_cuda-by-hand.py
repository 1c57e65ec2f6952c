# lifetime.deleter.no-access-after (numba_cuda 0.30.4): the launch of a kernel calls the deleter of its argument's tensor,
# and then launches the kernel on that memory. Under cuda.In() the tensor lives until then.
# Rule: dlpack.h, deleter: called when the data is no longer needed
# Run: dlcert with-simulated-gpu python THIS (work runs late there), with numba-cuda[cu13]: it compiles a kernel
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys, weakref
try:
    import numpy
    from cuda.bindings import driver
    from cuda.core import Buffer
    from cuda.core.utils import StridedMemoryView
    from numba import cuda
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)


@cuda.jit
def kernel(x):
    x[0] = 1


class Owner:  # of one exported tensor; all have one array's memory
    pass


class Producer:
    array = cuda.to_device(numpy.zeros(4, numpy.float32))
    def __dlpack_device__(self): return (2, 0)
    def __dlpack__(self, *, max_version, **others):
        owner = Owner()
        weakref.finalize(owner, lambda: seen.append(f"a tensor is released, {state()}"))
        buffer = Buffer.from_handle(self.array.device_ctypes_pointer.value, 16, owner=owner)
        return StridedMemoryView.from_buffer(buffer, (4,), dtype=self.array.dtype).__dlpack__(max_version=max_version)


def state(): return "nothing is launched" if driver.cuStreamQuery(int(stream))[0] == 0 else "the kernel is launched"
x, stream, seen = Producer(), cuda.stream(), []
kernel[1024, 1, stream](x)
print(*seen, f"the call returns, {state()}", sep="\n", flush=True)
sys.exit(int("the kernel" in state() and "nothing" in seen[-1]))
