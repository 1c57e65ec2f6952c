# capsule.consume.rename-legacy (nanobind 3.1.0): a legacy capsule that was taken from an object is named used_dltensor
# Rule: DLPack docs/source/python_spec.rst
# Exit code: 1 when the library shows the fault, 0 when it does not.
import sys
from ctypes import PYFUNCTYPE, c_char_p, c_void_p, py_object, pythonapi

import nanobind_example
import numpy


class Keeper:
    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **keywords):
        self.capsule = self.array.__dlpack__(**keywords)
        return self.capsule


keeper = Keeper(numpy.array([1, 2], "float32"))
taken = nanobind_example.from_dlpack(keeper)
name = PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", pythonapi))(keeper.capsule)
destructor = PYFUNCTYPE(c_void_p, py_object)(("PyCapsule_GetDestructor", pythonapi))(keeper.capsule)
print("name", name, "destructor", destructor)
sys.exit(not name.startswith(b"used_") and not destructor)
