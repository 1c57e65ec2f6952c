# SPDX-License-Identifier: Apache-2.0
"""A library that can be written only through NumPy's views. REFUSAL names the exception that write()
raises itself for a read-only view; without it, NumPy raises."""

import builtins
import os

import dlcert
import numpy
import wrong


class Tensor:
    """NumPy's array, which it shows to who asks."""

    def __init__(self, source):
        self._array = numpy.from_dlpack(source)

    def numpy(self):
        return self._array.view()


class Viewing(dlcert.Adapter):
    library = wrong
    import_arguments = frozenset()
    knows_read_only = True
    create = export_capsule = dlpack_device = None
    from_dlpack = property(lambda self: Tensor)

    def can(self, spec):
        return spec.plain and spec.dtype.name == "float32" and len(spec.shape) < 32

    def describe(self, tensor):
        array = tensor.numpy()
        return dlcert.Description(self.named_dtype(array.dtype.name), array.shape, (1, 0),
                                  tuple(stride // array.itemsize for stride in array.strides),
                                  array.__array_interface__["data"][0], (0, 0), not array.flags.writeable)

    def read(self, tensor):
        return tensor.numpy().tobytes()

    def write(self, tensor, data):
        array = tensor.numpy()
        if "REFUSAL" in os.environ and not array.flags.writeable:
            raise getattr(builtins, os.environ["REFUSAL"])("read-only")
        array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)
