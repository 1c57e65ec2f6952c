# SPDX-License-Identifier: Apache-2.0
"""Memory: what arrays and exports take and give back, and what follows when there is none."""

import unittest
from collections.abc import Callable

from dlcert_reference import Array, from_dlpack
from dlcert_reference_memory import fail_allocation, live_allocations

from dlpack_structs import UINT8, Memory, Producer

DATA = bytes(range(6))


class WhereThereIsMemory(unittest.TestCase):
    def test_all_of_it_is_given_back(self) -> None:
        before = live_allocations()
        array = Array(DATA, UINT8, (6,))
        capsule = array.__dlpack__(max_version=(1, 3))
        copy = from_dlpack(array, copy=True)
        self.assertGreater(live_allocations(), before)
        del array, capsule, copy
        self.assertEqual(live_allocations(), before)


class WhereThereIsNone(unittest.TestCase):
    def tearDown(self) -> None:
        fail_allocation(-1)

    def failures(self, action: Callable[[], object]) -> int:
        """How many allocations of the action can fail, each by MemoryError and without a trace."""
        for successes in range(100):
            before = live_allocations()
            fail_allocation(successes)
            try:
                action()
            except MemoryError:
                self.assertEqual(live_allocations(), before)
            else:
                return successes
        self.fail("expected the action to succeed at last")

    def test_an_array_is_not_made(self) -> None:
        self.assertGreater(self.failures(lambda: Array(DATA, UINT8, (6,))), 0)

    def test_nothing_is_exported(self) -> None:
        array = Array(DATA, UINT8, (6,))
        self.assertEqual(self.failures(array.__dlpack__), 1)

    def test_nothing_is_imported_and_what_was_exported_is_released(self) -> None:
        memory = Memory(DATA, (6,))

        def import_and_drop(**options: bool) -> None:
            before = memory.deleted
            try:
                from_dlpack(Producer(memory), **options)
            finally:
                self.assertEqual(memory.deleted, before + 1)

        self.assertGreater(self.failures(import_and_drop), 0)
        self.assertGreater(self.failures(lambda: import_and_drop(copy=True)), 1)


if __name__ == "__main__":
    unittest.main()
