# To be added to onnxruntime/test/python/onnxruntime_test_python.py.

import gc
import unittest
import weakref

import numpy as np

import onnxruntime as onnxrt


class TestOrtValueDlpackLifetime(unittest.TestCase):
    def test_dlpack_keeps_numpy_memory_alive(self):
        elements = np.full(1024, 7, dtype=np.float32)
        address = elements.ctypes.data
        alive = weakref.ref(elements)
        ortvalue = onnxrt.OrtValue.ortvalue_from_numpy(elements)
        array = np.from_dlpack(ortvalue)
        shared = array.ctypes.data == address

        del elements, ortvalue
        gc.collect()

        if shared:  # a copy would do as well
            self.assertIsNotNone(alive(), "the memory was freed before the deleter was called")
        np.testing.assert_array_equal(array, np.full(1024, 7, dtype=np.float32))

        # The memory has to be given back when the consumer is done
        del array
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main(verbosity=2)
