# SPDX-License-Identifier: Apache-2.0
"""Exports: `__dlpack__`, `__dlpack_device__`, to_dlpack and the capsules that they give."""

import ctypes
import enum
import gc
import inspect
import subprocess
import sys
import threading
import unittest

from dlcert_reference import Array, from_dlpack, to_dlpack

from dlpack_structs import (
    COPIED,
    FLOAT32,
    PADDED,
    READ_ONLY,
    UINT8,
    Memory,
    api,
    managed_in,
    name_of,
)

DATA = bytes(range(24))


class Device(enum.IntEnum):
    CPU = 1


class Index:
    """A number that is no int."""

    def __init__(self, value: int):
        self.value = value

    def __index__(self) -> int:
        return self.value


class AnExport(unittest.TestCase):
    def setUp(self) -> None:
        self.array = Array(DATA, FLOAT32, (2, 3), strides=(-3, 1), offset=3)

    def test_describes_the_array_in_either_form(self) -> None:
        for capsule in (self.array.__dlpack__(), self.array.__dlpack__(max_version=(1, 0))):
            tensor = managed_in(capsule).tensor
            self.assertEqual((tensor.device_type, tensor.device_id), (1, 0))
            self.assertEqual((tensor.code, tensor.bits, tensor.lanes), FLOAT32)
            self.assertEqual(tensor.dims(tensor.shape), (2, 3))
            self.assertEqual(tensor.dims(tensor.strides), (-3, 1))
            self.assertEqual(tensor.data + tensor.byte_offset, self.array.data)

    def test_has_the_form_that_the_consumer_knows(self) -> None:
        for version, name in (
            (None, "dltensor"),
            ((0, 9), "dltensor"),
            ((1, 0), "dltensor_versioned"),
            ((1, 3), "dltensor_versioned"),
            ((7, 70), "dltensor_versioned"),
        ):
            self.assertEqual(name_of(self.array.__dlpack__(max_version=version)), name)
        self.assertEqual(name_of(self.array.__dlpack__()), "dltensor")
        self.assertEqual(name_of(to_dlpack(self.array)), "dltensor")

    def test_tells_version_and_flags(self) -> None:
        managed = managed_in(self.array.__dlpack__(max_version=(1, 3)))
        self.assertEqual((managed.major, managed.minor, managed.flags), (1, 3, 0))
        for array, copy, flags in (
            (self.array, True, COPIED),
            (self.array, False, 0),
            (Array(DATA, UINT8, (24,), readonly=True), None, READ_ONLY),
            (Array(b"1", (1, 4, 1), (1,), padded=True), None, PADDED),
        ):
            capsule = array.__dlpack__(max_version=(1, 3), copy=copy)
            self.assertEqual(managed_in(capsule).flags, flags)

    def test_is_refused_in_the_legacy_form_where_flags_are_needed(self) -> None:
        self.assertRaises(BufferError, Array(DATA, UINT8, (24,), readonly=True).__dlpack__)

    def test_takes_every_keyword_alone_and_all_together_and_none(self) -> None:
        legal = {"stream": None, "max_version": (1, 3), "dl_device": (1, 0), "copy": False}
        for name, value in legal.items():
            self.array.__dlpack__(**{name: value})
            self.array.__dlpack__(**{name: None})
        self.array.__dlpack__(**legal)
        self.array.__dlpack__()

    def test_takes_options_by_keyword_alone(self) -> None:
        for arguments in ((None,), (None, (1, 3))):
            self.assertRaises(TypeError, self.array.__dlpack__, *arguments)
        self.assertRaises(TypeError, self.array.__dlpack__, other=1)
        self.assertRaises(TypeError, self.array.__dlpack_device__, None)
        self.assertEqual(
            str(inspect.signature(Array.__dlpack__)),
            "(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)",
        )

    def test_takes_whatever_is_an_integer(self) -> None:
        capsule = self.array.__dlpack__(
            dl_device=(Device.CPU, Index(0)), max_version=(Index(1), True)
        )
        self.assertEqual(name_of(capsule), "dltensor_versioned")

    def test_refuses_arguments_by_the_kind_of_error_that_fits(self) -> None:
        for kind, name, values in (
            (
                TypeError,
                "max_version",
                (1, "1.0", (1,), (1, 2, 3), ("a", "b"), [1, 0], 1.0, object()),
            ),
            (ValueError, "max_version", ((-1, 0), (2**40, 0), (2**70, 0))),
            (TypeError, "dl_device", (1, "cpu", (1,), (1.0, 0))),
            (BufferError, "dl_device", ((2, 0), (1, 1), (-1, 0), (2**40, 0))),
            (TypeError, "copy", (1, "yes", [])),
            (ValueError, "stream", (-1, 0, 1, 2, 3, 2**70, 1.0, "1")),
        ):
            for value in values:
                with self.subTest(name, value=value):
                    self.assertRaises(kind, self.array.__dlpack__, **{name: value})

    def test_refuses_what_is_no_array(self) -> None:
        self.assertRaises(TypeError, to_dlpack, 1)

    def test_tells_the_device_as_a_tuple_of_integers(self) -> None:
        device = self.array.__dlpack_device__()
        self.assertEqual(
            (type(device), device, [type(part) for part in device]), (tuple, (1, 0), [int, int])
        )


class ACapsule(unittest.TestCase):
    """Of an array over memory that counts its deletions."""

    def setUp(self) -> None:
        self.memory = Memory(DATA, (24,))
        self.array = from_dlpack(self.memory.capsule())

    def test_keeps_the_elements_alive_and_releases_them_once(self) -> None:
        for options in ({}, {"max_version": (1, 3)}):
            capsule = self.array.__dlpack__(**options)
            self.assertEqual(self.memory.deleted, 0)
            del capsule
        capsule = self.array.__dlpack__()
        del self.array
        gc.collect()
        self.assertEqual(self.memory.deleted, 0)
        del capsule
        self.assertEqual(self.memory.deleted, 1)

    def test_releases_nothing_once_it_is_consumed(self) -> None:
        capsule = self.array.__dlpack__()
        managed = managed_in(capsule)
        api.PyCapsule_SetName(capsule, b"used_dltensor")
        del capsule, self.array
        self.assertEqual(self.memory.deleted, 0)
        managed.deleter(ctypes.addressof(managed))
        self.assertEqual(self.memory.deleted, 1)

    def test_keeps_an_error_that_is_in_flight(self) -> None:
        def fail() -> None:
            raise ValueError("in flight")

        # The capsule, of which the expression has the one reference, dies while the error looks
        # for its handler.
        with self.assertRaisesRegex(ValueError, "in flight"):
            print(self.array.__dlpack__(), fail())

    def test_keeps_its_name_in_memory_that_stays(self) -> None:
        capsule = self.array.__dlpack__(max_version=(1, 3))
        del self.array
        churned = [bytes(size) for size in range(2000)]
        gc.collect()
        self.assertEqual((name_of(capsule), len(churned)), ("dltensor_versioned", 2000))


class ADeleter(unittest.TestCase):
    @staticmethod
    def consumed(array: Array) -> tuple[int, int]:
        """The deleter and the managed tensor of an export that the caller owns."""
        capsule = array.__dlpack__(max_version=(1, 3))
        managed = managed_in(capsule)
        api.PyCapsule_SetName(capsule, b"used_dltensor_versioned")
        return ctypes.cast(managed.deleter, ctypes.c_void_p).value, ctypes.addressof(managed)

    def test_runs_without_the_lock_and_with_it_on_any_thread(self) -> None:
        # The first kind of function gives the lock back, the second keeps it.
        for function in (ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE):
            memory = Memory(DATA, (24,))
            array = from_dlpack(memory.capsule())
            (here, mine), (there, other) = self.consumed(array), self.consumed(array)
            del array
            function(None, ctypes.c_void_p)(here)(mine)
            self.assertEqual(memory.deleted, 0)
            delete = function(None, ctypes.c_void_p)(there)
            thread = threading.Thread(target=delete, args=(other,))
            thread.start()
            thread.join()
            self.assertEqual(memory.deleted, 1)

    def test_runs_behind_the_end_of_the_interpreter(self) -> None:
        ended = subprocess.run(
            [sys.executable, __file__, "delete at exit"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))


def delete_at_exit() -> None:
    """Leaves the deleter of an export to the exit handlers of the C library."""
    deleter, managed = ADeleter.consumed(Array(DATA, UINT8, (24,)))
    libc = ctypes.CDLL(None)
    libc.__cxa_atexit(ctypes.c_void_p(deleter), ctypes.c_void_p(managed), None)


if __name__ == "__main__":
    if sys.argv[1:] == ["delete at exit"]:
        delete_at_exit()
    else:
        unittest.main()
