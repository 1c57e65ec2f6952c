# SPDX-License-Identifier: Apache-2.0
"""A library of bare capsules: what its tensors are is no matter of its user."""

import numpy

__version__ = "1.0"


class _Given:
    """An object that gives a capsule, as NumPy wants one."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **keywords):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0


class Frame:
    def __init__(self, values):
        self._values = values
        self.dtype, self.shape = values.dtype.name, values.shape

    def to_dlpack(self):
        return self._values.__dlpack__()


def frame(data, dtype, shape):
    return Frame(numpy.frombuffer(bytearray(data), dtype).reshape(shape))


def from_dlpack(capsule):
    return Frame(numpy.from_dlpack(_Given(capsule)).copy())
