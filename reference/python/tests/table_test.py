# SPDX-License-Identifier: Apache-2.0
"""The exchange table of the array type, and imports by the tables of others."""

import ctypes
import threading
import types
import unittest
from ctypes import byref

from dlcert_reference import Array, from_dlpack

from dlpack_structs import (
    FLOAT32,
    UINT8,
    ManagedVersioned,
    Memory,
    Producer,
    SetError,
    Table,
    Tensor,
    api,
)

DATA = bytes(range(6))
ATTRIBUTE, NAME = "__dlpack_c_exchange_api__", b"dlpack_exchange_api"


def table_of(kind: type) -> Table:
    return Table.from_address(api.PyCapsule_GetPointer(getattr(kind, ATTRIBUTE), NAME))


class TheTable(unittest.TestCase):
    def setUp(self) -> None:
        self.table = table_of(Array)
        self.array = Array(DATA, UINT8, (2, 3))
        self.managed = ctypes.POINTER(ManagedVersioned)()

    def test_is_one_for_all_instances_in_a_capsule_of_the_type(self) -> None:
        self.assertIs(getattr(self.array, ATTRIBUTE), getattr(Array, ATTRIBUTE))
        self.assertIn(ATTRIBUTE, vars(Array))
        self.assertEqual((self.table.major, self.table.minor, self.table.prev), (1, 3, None))

    def test_exports_an_array(self) -> None:
        self.assertEqual(self.table.from_object(self.array, byref(self.managed)), 0)
        managed = self.managed.contents
        self.assertEqual(
            (managed.major, managed.minor, managed.tensor.data), (1, 3, self.array.data)
        )
        managed.deleter(ctypes.addressof(managed))

    def test_imports_a_managed_tensor(self) -> None:
        memory = Memory(DATA, (6,))
        made = ctypes.py_object()
        self.assertEqual(self.table.to_object(byref(memory.versioned), byref(made)), 0)
        array = made.value
        ctypes.pythonapi.Py_DecRef(made)  # the reference that was given, beside that of `array`
        del made
        self.assertEqual((type(array), array.data, array.tobytes()), (Array, memory.address, DATA))
        del array
        self.assertEqual(memory.deleted, 1)

    def test_leaves_to_the_caller_what_it_refuses(self) -> None:
        memory = Memory(DATA, (-1,))
        self.assertRaises(
            BufferError, self.table.to_object, byref(memory.versioned), byref(ctypes.py_object())
        )
        self.assertEqual(memory.deleted, 0)

    def test_describes_an_array_without_owning_it(self) -> None:
        tensor = Tensor()
        self.assertEqual(self.table.view(self.array, byref(tensor)), 0)
        self.assertEqual((tensor.data, tensor.dims(tensor.shape)), (self.array.data, (2, 3)))

    def test_tells_failures_by_an_error_of_python(self) -> None:
        read_only = Array(DATA, UINT8, (6,), readonly=True)
        record = Array(None, UINT8, (6,), kind="record")
        for kind, function, arguments in (
            (BufferError, self.table.view, (read_only, byref(Tensor()))),
            (BufferError, self.table.from_object, (record, byref(self.managed))),
            (TypeError, self.table.from_object, (1, byref(self.managed))),
            (TypeError, self.table.view, ("text", byref(Tensor()))),
            (ValueError, self.table.work_stream, (2, 99, byref(ctypes.c_void_p()))),
        ):
            with self.subTest(function=function):
                self.assertRaises(kind, function, *arguments)
        self.assertFalse(self.managed)

    def test_has_no_stream_for_the_cpu(self) -> None:
        stream = ctypes.c_void_p(1)
        self.assertEqual(self.table.work_stream(1, 0, byref(stream)), 0)
        self.assertIsNone(stream.value)

    def test_allocates_like_a_prototype_without_the_lock(self) -> None:
        shape = (ctypes.c_int64 * 2)(2, 3)
        prototype = Tensor(None, 1, 0, 2, *FLOAT32, shape, None, 0)
        codes = []

        def allocate() -> None:
            codes.append(
                self.table.allocate(byref(prototype), byref(self.managed), None, SetError())
            )

        thread = threading.Thread(target=allocate)
        thread.start()
        thread.join()
        tensor = self.managed.contents.tensor
        self.assertEqual((codes, tensor.dims(tensor.shape)), ([0], (2, 3)))
        self.assertEqual(ctypes.string_at(tensor.data, 24), bytes(24))
        self.managed.contents.deleter(ctypes.addressof(self.managed.contents))

    def test_tells_the_failure_of_an_allocation_to_the_caller(self) -> None:
        told = []
        report = SetError(lambda context, kind, message: told.append((context, kind)))
        prototype = Tensor(None, 99, 0, 0, *FLOAT32, None, None, 0)
        self.assertEqual(self.table.allocate(byref(prototype), byref(self.managed), 7, report), -1)
        self.assertEqual((told, bool(self.managed)), ([(7, b"BufferError")], False))


class Publisher(Producer):
    """A producer whose type publishes a table, which notes its calls."""

    def __init__(self, memory: Memory):
        super().__init__(memory)
        self.by_table: list[type] = []


def publish(kind: type, major: int, prev: Table | None = None) -> Table:
    """Gives the type a table of a version. Of an unknown major all but the header is invalid."""

    def from_object(array: Publisher, out: "ctypes.POINTER") -> int:
        array.by_table.append(type(array))
        out[0] = ctypes.pointer(array.memory.versioned)
        return 0

    table = Table(major, 0, ctypes.addressof(prev) if prev else None)
    if major == 1:
        table.from_object = type(table.from_object)(from_object)
    else:
        ctypes.memset(ctypes.addressof(table) + 16, 0xFF, ctypes.sizeof(table) - 16)
    setattr(kind, ATTRIBUTE, _capsule(table, NAME))
    return table


def _capsule(table: Table, name: bytes) -> object:
    return api.PyCapsule_New(ctypes.addressof(table), name, None)


class AnImportByTable(unittest.TestCase):
    def setUp(self) -> None:
        self.kind = type("Kind", (Publisher,), {})
        self.memory = Memory(DATA, (6,))
        self.array = self.kind(self.memory)

    def imported(self, **options: object) -> tuple[int, int]:
        """How often the table and __dlpack__ were asked, after an import that must succeed."""
        array = from_dlpack(self.array, **options)
        self.assertEqual(array.tobytes(), DATA)
        del array
        self.assertEqual(self.memory.deleted, 1)
        return len(self.array.by_table), len(self.array.asked)

    def test_is_preferred_where_the_request_says_nothing_more(self) -> None:
        table = publish(self.kind, 1)
        self.assertEqual((self.imported(), table.major), ((1, 0), 1))

    def test_is_of_no_use_for_a_device_or_a_copy(self) -> None:
        table = publish(self.kind, 1)
        for options in ({"device": (1, 0)}, {"copy": True}, {"copy": False}):
            self.memory.deleted = 0
            self.array.asked.clear()
            self.assertEqual(self.imported(**options), (0, 1))
        self.assertEqual(table.major, 1)

    def test_needs_a_major_version_that_is_known(self) -> None:
        table = publish(self.kind, 99)
        self.assertEqual((self.imported(), table.major), ((0, 1), 99))

    def test_follows_the_chain_to_the_newest_that_is_known(self) -> None:
        oldest = publish(self.kind, 1)
        newer = publish(self.kind, 98, oldest)
        newest = publish(self.kind, 99, newer)
        self.assertEqual((self.imported(), newest.major), ((1, 0), 99))

    def test_needs_the_very_type_that_published_the_table(self) -> None:
        table = publish(self.kind, 1)
        self.array = type("Derived", (self.kind,), {})(self.memory)
        self.assertEqual((self.imported(), table.major), ((0, 1), 1))

    def test_ignores_what_an_instance_says_and_what_is_no_table(self) -> None:
        table = publish(self.kind, 1)
        for value in (_capsule(table, b"dlpack_exchange_api2"), 1, None):
            setattr(self.kind, ATTRIBUTE, value)
            setattr(self.array, ATTRIBUTE, _capsule(table, NAME))
            self.memory.deleted = 0
            self.array.asked.clear()
            self.assertEqual(self.imported(), (0, 1))

    def test_serves_arrays_of_the_library_itself(self) -> None:
        array = Array(DATA, UINT8, (6,), readonly=True)
        self.assertTrue(from_dlpack(array).readonly)
        self.assertEqual(from_dlpack(array).data, array.data)

    def test_lets_the_error_of_the_table_through(self) -> None:
        table = publish(self.kind, 1)
        table.from_object = ctypes.cast(
            api.PyObject_IsTrue, type(table.from_object)
        )  # fails as __bool__ does
        for error in (KeyError("of the table"), TypeError("of the table")):
            self.kind.__bool__ = raising(error)
            with self.assertRaises(type(error)) as raised:
                from_dlpack(self.array)
            self.assertIs(raised.exception, error)
        self.kind.__bool__ = lambda array: False
        with self.assertRaisesRegex(BufferError, "found none"):
            from_dlpack(self.array)
        self.assertEqual(self.array.asked, [])


def raising(error: Exception) -> types.FunctionType:
    def fail(array: object) -> bool:
        raise error

    return fail


if __name__ == "__main__":
    unittest.main()
