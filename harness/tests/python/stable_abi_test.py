#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stable_abi.py finds what is wrong."""

import tempfile
import unittest
from pathlib import Path

import stable_abi

KNOWN = {"PyOld": ("FUNCTION", (3, 2)), "PyNew": ("FUNCTION", (3, 11)), "Py_Data": ("DATA", (3, 2))}


class Names(unittest.TestCase):
    def test_each_row_of_the_list_is_one(self):
        text = ("//   DLCERT_PYTHON_OBJECT(name)   of a comment\n"
                "DLCERT_PYTHON_FUNCTION(const char*, A, (int, int))\n"
                "DLCERT_PYTHON_FUNCTION(long long,\n                       B, ())\n"
                "DLCERT_PYTHON_OBJECT(C)\nDLCERT_PYTHON_ERROR(D)\n")
        self.assertEqual(stable_abi.names_in(text),
                         {"A": "FUNCTION", "B": "FUNCTION", "C": "OBJECT", "D": "ERROR"})

    def test_a_row_that_is_not_understood_is_told(self):
        for text in ("", "DLCERT_PYTHON_VARIABLE(A)\n",
                     "DLCERT_PYTHON_OBJECT(A)\nDLCERT_PYTHON_FUNCTION()\n"):
            with self.assertRaises(ValueError):
                stable_abi.names_in(text)


class Stable(unittest.TestCase):
    def wrong(self, names, fallbacks=()):
        return stable_abi.unstable(names, KNOWN, dict.fromkeys(fallbacks, "a reason"))

    def test_what_is_old_enough_passes(self):
        self.assertEqual(self.wrong({"PyOld": "FUNCTION", "Py_Data": "OBJECT"}), [])

    def test_what_is_too_new_unknown_or_of_another_kind_is_told(self):
        for names in ({"PyNew": "FUNCTION"}, {"PyGone": "FUNCTION"}, {"PyOld": "OBJECT"},
                      {"Py_Data": "FUNCTION"}):
            self.assertEqual(len(self.wrong(names)), 1, names)

    def test_a_fallback_excuses_what_needs_one_and_nothing_else(self):
        self.assertEqual(self.wrong({"PyNew": "FUNCTION"}, ["PyNew"]), [])
        self.assertEqual(len(self.wrong({"PyOld": "FUNCTION"}, ["PyOld"])), 1)
        self.assertEqual(len(self.wrong({"PyOld": "FUNCTION"}, ["PyGone"])), 1)

    def test_the_stable_abi_is_not_empty(self):
        known = stable_abi.stable_since()
        self.assertEqual(known["PyCapsule_New"], ("FUNCTION", (3, 2)))
        self.assertEqual(known["PyUnicode_AsUTF8AndSize"], ("FUNCTION", (3, 10)))
        self.assertEqual(known["PyExc_BufferError"][0], "DATA")
        self.assertNotIn("PyConfig_InitPythonConfig", known)


class Bridge(unittest.TestCase):
    def test_a_name_beside_the_list_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            bridge = Path(folder)
            (bridge / "python_api.cpp").write_text("dlsym(module, name)")
            (bridge / "object.cpp").write_text("py.PyDict_New()")
            self.assertEqual(stable_abi.looked_up_elsewhere(bridge), [])
            (bridge / "object.cpp").write_text('dlsym(module, "PyObject_Vectorcall")')
            self.assertEqual(len(stable_abi.looked_up_elsewhere(bridge)), 1)


if __name__ == "__main__":
    unittest.main()
