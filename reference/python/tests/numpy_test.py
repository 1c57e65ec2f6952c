# SPDX-License-Identifier: Apache-2.0
"""NumPy as the other side, where there is one that knows version 1.0."""

import unittest

from dlcert_reference import Array, from_dlpack

try:
    import numpy

    KNOWN = numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0"
except ImportError:
    KNOWN = False

DATA = bytes(range(24))


@unittest.skipUnless(KNOWN, "needs NumPy 2.1")
class BesideNumPy(unittest.TestCase):
    def test_numpy_shares_an_array(self) -> None:
        for readonly in (False, True):
            array = Array(DATA, (1, 16, 1), (3, 4), strides=(-4, 1), offset=8, readonly=readonly)
            seen = numpy.from_dlpack(array)
            self.assertEqual(
                (seen.ctypes.data, seen.shape, seen.strides), (array.data, (3, 4), (-8, 2))
            )
            self.assertEqual((seen.dtype, seen.tobytes()), (numpy.dtype("u2"), DATA))
            self.assertEqual(seen.flags.writeable, not readonly)

    def test_an_array_shares_numpys(self) -> None:
        data = numpy.frombuffer(DATA, "u2").reshape(3, 4)  # which is read-only
        for source in (data, data.copy(), data[:, ::-2], data.T, data[1:, 2], data[:0]):
            array = from_dlpack(source)
            self.assertEqual((array.shape, array.tobytes()), (source.shape, source.tobytes()))
            self.assertEqual(array.readonly, not source.flags.writeable)
            if source.size > 0:
                self.assertEqual(array.data, source.ctypes.data)

    def test_either_copies_where_it_is_asked_to(self) -> None:
        array = Array(DATA, (1, 8, 1), (24,))
        self.assertNotEqual(numpy.from_dlpack(array, copy=True).ctypes.data, array.data)
        source = numpy.arange(24)
        copy = from_dlpack(source, copy=True)
        self.assertNotEqual(copy.data, source.ctypes.data)
        self.assertEqual(copy.tobytes(), source.tobytes())

    def test_numpy_refuses_what_it_has_no_type_for(self) -> None:
        self.assertRaises(
            (BufferError, RuntimeError), numpy.from_dlpack, Array(None, (4, 16, 1), (2,))
        )


if __name__ == "__main__":
    unittest.main()
