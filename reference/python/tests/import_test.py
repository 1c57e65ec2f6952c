# SPDX-License-Identifier: Apache-2.0
"""Imports: from_dlpack of objects and capsules."""

import gc
import inspect
import threading
import unittest

from dlcert_reference import Array, from_dlpack

from dlpack_structs import COPIED, NAMES, READ_ONLY, UINT8, Memory, Producer, name_of

DATA = bytes(range(6))
VERSION = (1, 3)


class OlderProducer(Producer):
    """Knows the stream alone, as objects before 2023 did."""

    def __dlpack__(self, stream: None = None) -> object:
        return super().__dlpack__(stream=stream)


class AnImport(unittest.TestCase):
    def setUp(self) -> None:
        self.memory = Memory(DATA, (2, 3))
        self.producer = Producer(self.memory)

    def test_shares_what_any_object_with_the_two_methods_exports(self) -> None:
        for form in NAMES:
            memory = Memory(DATA, (2, 3))
            array = from_dlpack(Producer(memory, form))
            self.assertEqual(
                (array.shape, array.dtype, array.data), ((2, 3), UINT8, memory.address)
            )
            array.write(bytes(6))
            self.assertEqual((memory.bytes.raw, memory.deleted), (bytes(6), 0))
            del array
            self.assertEqual(memory.deleted, 1)

    def test_asks_by_keywords_for_what_it_was_asked_for(self) -> None:
        for options, keywords in (
            ({}, {}),
            ({"device": None, "copy": None}, {"dl_device": None, "copy": None}),
            ({"device": (1, 0), "copy": True}, {"dl_device": (1, 0), "copy": True}),
        ):
            from_dlpack(self.producer, **options)
            self.assertEqual(self.producer.asked.pop(), {"max_version": VERSION, **keywords})

    def test_takes_the_source_by_position_and_options_by_keyword(self) -> None:
        self.assertRaises(TypeError, from_dlpack)
        self.assertRaises(TypeError, from_dlpack, x=self.producer)
        self.assertRaises(TypeError, from_dlpack, self.producer, None)
        self.assertRaises(TypeError, from_dlpack, self.producer, other=None)
        self.assertEqual(str(inspect.signature(from_dlpack)), "(x, /, *, device=None, copy=None)")

    def test_copies_where_a_copy_is_asked_for_and_none_was_made(self) -> None:
        copy = from_dlpack(self.producer, copy=True)
        self.assertEqual((copy.tobytes(), copy.data == self.memory.address), (DATA, False))
        self.assertEqual(self.memory.deleted, 1)
        made = Memory(DATA, (6,), flags=COPIED)
        self.assertEqual(from_dlpack(Producer(made), copy=True).data, made.address)
        self.assertEqual(from_dlpack(self.producer, copy=False).data, self.memory.address)

    def test_is_read_only_where_the_producer_says_so(self) -> None:
        array = from_dlpack(Producer(Memory(DATA, (6,), flags=READ_ONLY)))
        self.assertTrue(array.readonly)
        self.assertRaises(ValueError, array.write, DATA)

    def test_asks_an_older_object_again_without_what_it_does_not_know(self) -> None:
        producer = OlderProducer(self.memory, "dltensor")
        self.assertEqual(from_dlpack(producer).tobytes(), DATA)
        self.assertEqual(producer.asked, [{"stream": None}])
        self.assertNotEqual(from_dlpack(producer, copy=True).data, self.memory.address)
        with self.assertRaisesRegex(TypeError, "unexpected keyword"):
            from_dlpack(producer, copy=False)

    def test_refuses_a_device_that_it_has_not_before_anything_is_exported(self) -> None:
        for device in ((2, 99), (17, 0)):
            self.producer.device = device
            self.assertRaises(BufferError, from_dlpack, self.producer)
            self.producer.device = (1, 0)
            self.assertRaises(BufferError, from_dlpack, self.producer, device=device)
        self.assertEqual(self.producer.asked, [])

    def test_refuses_arguments_by_the_kind_of_error_that_fits(self) -> None:
        for options in ({"device": 1}, {"device": "cpu"}, {"copy": 1}, {"copy": "yes"}):
            with self.subTest(options):
                self.assertRaises(TypeError, from_dlpack, self.producer, **options)

    def test_lets_the_errors_of_the_object_through(self) -> None:
        class Failing(Producer):
            error: Exception = KeyError("mine")

            def __dlpack__(self, **keywords: object) -> object:
                raise self.error

        failing = Failing(self.memory)
        for Failing.error in (
            KeyError("mine"),
            BufferError("mine"),
            TypeError("mine"),
            SystemExit(0),
        ):
            with self.assertRaises(type(Failing.error)) as raised:
                from_dlpack(failing)
            self.assertIs(raised.exception, Failing.error)

    def test_refuses_what_is_no_producer(self) -> None:
        class WithoutDevice:
            def __dlpack__(self, **keywords: object) -> object:
                raise AssertionError

        for thing in (1, None, object(), WithoutDevice()):
            self.assertRaises(AttributeError, from_dlpack, thing)

    def test_refuses_devices_that_are_no_tuple_of_two_integers(self) -> None:
        for device in (None, 1, (1,), (1, 0, 0), [1, 0], ("1", "0")):
            with self.subTest(device=device):
                self.assertRaises(TypeError, from_dlpack, Producer(self.memory, device=device))

    def test_refuses_exports_that_are_no_live_capsule(self) -> None:
        class Exporting(Producer):
            export: object = None

            def __dlpack__(self, **keywords: object) -> object:
                return self.export

        used = self.memory.capsule()
        from_dlpack(used)
        for Exporting.export in (None, 1, used, Array.__dlpack_c_exchange_api__):
            self.assertRaises(ValueError, from_dlpack, Exporting(self.memory))

    def test_releases_once_what_it_refuses(self) -> None:
        for memory in (
            Memory(DATA, (-1,)),
            Memory(DATA, (6,), (99, 8, 1)),
            Memory(DATA, (6,), flags=8),
        ):
            capsule = memory.capsule()
            self.assertRaises(BufferError, from_dlpack, capsule)
            self.assertEqual((name_of(capsule), memory.deleted), ("dltensor_versioned", 0))
        foreign = Memory(DATA, (6,), version=(2, 0))
        capsule = foreign.capsule()
        self.assertRaises(BufferError, from_dlpack, capsule)
        self.assertEqual((name_of(capsule), foreign.deleted), ("used_dltensor_versioned", 1))


class ACapsule(unittest.TestCase):
    def test_is_consumed_once(self) -> None:
        for form in NAMES:
            memory = Memory(DATA, (6,))
            capsule = memory.capsule(form)
            array = from_dlpack(capsule)
            self.assertEqual(name_of(capsule), f"used_{form}")
            self.assertRaises(ValueError, from_dlpack, capsule)
            del array, capsule
            gc.collect()
            self.assertEqual(memory.deleted, 1)

    def test_takes_no_options(self) -> None:
        memory = Memory(DATA, (6,))
        self.assertRaises(AttributeError, from_dlpack, memory.capsule(), copy=True)
        self.assertEqual(memory.deleted, 0)


class AnImportedArray(unittest.TestCase):
    def test_may_be_exported_and_released_on_any_thread(self) -> None:
        memory = Memory(DATA, (6,))
        arrays = [from_dlpack(Producer(memory))]
        arrays.append(from_dlpack(arrays[0].__dlpack__(max_version=VERSION)))
        del arrays[0]
        self.assertEqual((arrays[0].data, memory.deleted), (memory.address, 0))
        thread = threading.Thread(target=arrays.clear)
        thread.start()
        thread.join()
        self.assertEqual(memory.deleted, 1)


if __name__ == "__main__":
    unittest.main()
