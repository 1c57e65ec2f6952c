# SPDX-License-Identifier: Apache-2.0
"""Arrays: what is made of the arguments, and what an array tells of itself."""

import gc
import unittest

from dlcert_reference import Array, __version__

from dlpack_structs import FLOAT32, UINT8

DATA = bytes(range(24))


class AnArray(unittest.TestCase):
    def test_is_row_major_and_writable_by_default(self) -> None:
        array = Array(DATA, UINT8, (2, 3, 4))
        self.assertEqual((array.shape, array.strides, array.dtype), ((2, 3, 4), (12, 4, 1), UINT8))
        self.assertEqual(
            (array.device, array.readonly, array.storage), ((1, 0), False, (array.data, 24))
        )
        self.assertEqual(array.tobytes(), DATA)

    def test_has_the_layout_that_was_asked_for(self) -> None:
        array = Array(DATA[:6], UINT8, [2, 3], strides=[-1, 4], offset=1, storage_size=20)
        self.assertEqual((array.strides, array.storage[1]), ((-1, 4), 20))
        self.assertEqual(array.data, array.storage[0] + 1)
        self.assertEqual(array.tobytes(), DATA[:6])

    def test_takes_no_more_storage_than_its_layout_reaches(self) -> None:
        self.assertEqual(
            Array(None, FLOAT32, (2, 3), strides=(8, 1), offset=1).storage[1], 4 * (1 + 8 + 2 + 1)
        )

    def test_of_no_elements_has_no_data(self) -> None:
        self.assertEqual(Array(b"", UINT8, (0, 3)).data, 0)

    def test_has_strides_in_bytes_where_elements_are_fields_of_records(self) -> None:
        array = Array(DATA[:8], FLOAT32, (2,), strides=(6,), offset=1, byte_strides=True)
        self.assertEqual((array.strides, array.data - array.storage[0]), (None, 1))
        self.assertEqual(array.tobytes(), DATA[:8])

    def test_packs_elements_narrower_than_a_byte_unless_they_are_padded(self) -> None:
        self.assertEqual(Array(bytes((1, 2, 3)), (1, 4, 1), (3,)).storage[1], 2)
        self.assertEqual(Array(bytes((1, 2, 3)), (1, 4, 1), (3,), padded=True).storage[1], 3)

    def test_holds_what_dlpack_has_no_type_for(self) -> None:
        for kind, dtype, size in (
            ("byte_swapped", (0, 16, 1), 2),
            ("extended_float", FLOAT32, 10),
            ("bfloat_complex", FLOAT32, 4),
            ("record", (1, 64, 4), 32),
        ):
            with self.subTest(kind):
                array = Array(None, dtype, (2,), kind=kind)
                self.assertEqual(len(array.tobytes()), 2 * size)
                self.assertRaises(BufferError, array.__dlpack__, max_version=(1, 3))

    def test_shares_its_elements_with_its_views(self) -> None:
        array = Array(DATA, UINT8, (24,))
        view = array.view()
        array.write(bytes(24))
        self.assertEqual((view.data, view.tobytes()), (array.data, bytes(24)))
        del array
        gc.collect()
        self.assertEqual(view.tobytes(), bytes(24))

    def test_is_not_written_where_it_is_read_only(self) -> None:
        array = Array(DATA, UINT8, (24,), readonly=True)
        self.assertTrue(array.readonly)
        self.assertRaises(ValueError, array.write, bytes(24))
        self.assertEqual(array.tobytes(), DATA)

    def test_is_of_a_class_that_can_be_derived_from(self) -> None:
        class Derived(Array):
            pass

        self.assertEqual(Derived(DATA, UINT8, (24,)).tobytes(), DATA)
        self.assertIs(type(Derived(None, UINT8, ())), Derived)

    def test_has_no_attributes_of_its_own(self) -> None:
        self.assertFalse(hasattr(Array(None, UINT8, ()), "__dict__"))

    def test_module_tells_its_version(self) -> None:
        self.assertRegex(__version__, r"^\d+\.\d+\.\d+$")


class WhatCannotBeMade(unittest.TestCase):
    def test_is_refused_by_the_kind_of_error_that_fits(self) -> None:
        for kind, arguments, keywords in (
            (TypeError, (), {}),
            (TypeError, ("text", UINT8, (4,)), {}),
            (TypeError, (None, UINT8, 3), {}),
            (TypeError, (None, UINT8, ("a",)), {}),
            (TypeError, (None, UINT8, (3,)), {"offset": "1"}),
            (TypeError, (None, UINT8, (3,)), {"device": None}),
            (TypeError, (None, UINT8, (3,)), {"storage_size": 1.5}),
            (ValueError, (b"1", UINT8, (3,)), {}),
            (ValueError, (None, (1, 8), (3,)), {}),
            (ValueError, (None, (1, 256, 1), (3,)), {}),
            (ValueError, (None, (-1, 8, 1), (3,)), {}),
            (ValueError, (None, UINT8, (-3,)), {}),
            (ValueError, (None, UINT8, (2**70,)), {}),
            (ValueError, (None, UINT8, (2**62, 5)), {}),
            (ValueError, (None, UINT8, (1,) * 65), {}),
            (ValueError, (None, UINT8, (3,)), {"strides": (1, 2)}),
            (ValueError, (None, UINT8, (3,)), {"strides": (2**62,)}),
            (ValueError, (None, UINT8, (3,)), {"strides": (-1,)}),
            (ValueError, (None, UINT8, (3,)), {"strides": (1,), "offset": 2**62}),
            (ValueError, (None, UINT8, (3,)), {"storage_size": 2}),
            (ValueError, (None, UINT8, (3,)), {"storage_size": -1}),
            (ValueError, (None, UINT8, (3,)), {"storage_size": 2**62}),
            (ValueError, (None, UINT8, (3,)), {"device": (2, 99)}),
            (ValueError, (None, UINT8, (3,)), {"kind": "sparse"}),
            (BufferError, (None, (1, 9, 1), (3,)), {}),
            (BufferError, (None, UINT8, (3,)), {"device": (-1, 0)}),
        ):
            with self.subTest(arguments=arguments, keywords=keywords):
                self.assertRaises(kind, Array, *arguments, **keywords)


if __name__ == "__main__":
    unittest.main()
