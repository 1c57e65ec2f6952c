# SPDX-License-Identifier: Apache-2.0
"""Streams of simulated devices, and what exports make of them."""

import threading
import unittest

from dlcert_reference import Array, current_stream, from_dlpack, ordinal, stream, synchronize

from dlpack_structs import COPIED, UINT8, managed_in

CUDA, PINNED, CPU = (2, 0), (3, 0), (1, 0)
DATA = bytes(range(6))


class AStream(unittest.TestCase):
    def test_is_current_inside_its_context_in_the_thread_that_entered_it(self) -> None:
        seen = []
        with stream(CUDA, 77):
            thread = threading.Thread(target=lambda: seen.append(current_stream(CUDA)))
            thread.start()
            thread.join()
            with stream(device=CUDA, handle=78):
                seen.append(current_stream(CUDA))
            seen.append(current_stream(CUDA))
        self.assertEqual([*seen, current_stream(CUDA), current_stream(CPU)], [0, 78, 77, 0, 0])

    def test_is_entered_once_at_a_time(self) -> None:
        one = stream(CUDA, 77)
        with one:
            self.assertRaises(ValueError, one.__enter__)
        with one:
            self.assertEqual(current_stream(CUDA), 77)

    def test_is_left_by_the_thread_that_entered_it(self) -> None:
        errors = []
        one = stream(CUDA, 77)

        def leave() -> None:
            try:
                one.__exit__(None, None, None)
            except ValueError as error:
                errors.append(error)

        with one:
            thread = threading.Thread(target=leave)
            thread.start()
            thread.join()
            self.assertEqual((len(errors), current_stream(CUDA)), (1, 77))
        self.assertEqual(current_stream(CUDA), 0)

    def test_needs_a_device_with_streams(self) -> None:
        for device in (CPU, (2, 99), (10, 0), (17, 0)):
            self.assertRaises(ValueError, stream, device, 1)
            self.assertRaises(ValueError, synchronize, device)
            self.assertRaises(ValueError, ordinal, device)
        self.assertRaises(TypeError, stream, CUDA, "1")
        self.assertRaises(TypeError, current_stream, None)

    def test_of_pinned_memory_is_that_of_the_current_device(self) -> None:
        self.assertEqual((ordinal(CUDA), ordinal(PINNED)), (0, 0))


class AnArrayOnADevice(unittest.TestCase):
    def setUp(self) -> None:
        self.array = Array(DATA, UINT8, (6,), device=CUDA)

    def test_is_exported_for_a_stream_of_the_consumer(self) -> None:
        self.assertEqual(self.array.__dlpack_device__(), CUDA)
        for number in (None, -1, 1, 2):
            tensor = managed_in(self.array.__dlpack__(stream=number)).tensor
            self.assertEqual((tensor.device_type, tensor.device_id), CUDA)

    def test_takes_numbers_of_streams_alone(self) -> None:
        for kind, values in (
            (ValueError, (0, -2)),
            (TypeError, (1.5, "1", True, (1, 2), object())),
        ):
            for value in values:
                with self.subTest(value=value):
                    self.assertRaises(kind, self.array.__dlpack__, stream=value)

    def test_is_copied_to_the_host_where_that_is_asked_for(self) -> None:
        synchronize(CUDA)
        capsule = self.array.__dlpack__(dl_device=CPU, max_version=(1, 3))
        self.assertEqual(managed_in(capsule).flags, COPIED)
        self.assertEqual(from_dlpack(capsule).tobytes(), DATA)
        self.assertEqual(from_dlpack(self.array, device=CPU).device, CPU)
        self.assertRaises(BufferError, from_dlpack, self.array, device=CPU, copy=False)

    def test_is_imported_by_the_method_which_takes_a_stream(self) -> None:
        asked = []

        class Noted(Array):
            def __dlpack__(self, **keywords: object) -> object:
                asked.append(keywords["stream"])
                return super().__dlpack__(**keywords)

        array = Noted(DATA, UINT8, (6,), device=CUDA)
        self.assertEqual(from_dlpack(array).data, array.data)
        self.assertEqual(asked, [1])  # the default stream of CUDA


if __name__ == "__main__":
    unittest.main()
