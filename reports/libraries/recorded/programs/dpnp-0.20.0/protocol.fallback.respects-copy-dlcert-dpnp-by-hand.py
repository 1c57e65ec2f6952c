# protocol.fallback.respects-copy (dpnp 0.20.0): a copy that the producer was not asked for is made by the consumer, or refused
# Rule: array API draft, creation_functions.py from_dlpack copy
# Exit code: 1 when the library shows the fault, 0 when it does not.
import os

import dpnp
import numpy


class Old:
    """A producer of the time before DLPack 1.0."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


source = numpy.zeros(3)
copy = dpnp.from_dlpack(Old(source), copy=True)
source[0] = 1
print(f"the source is written to, and the copy is {copy}", flush=True)
os._exit(1 if copy[0] == 1 else 0)
