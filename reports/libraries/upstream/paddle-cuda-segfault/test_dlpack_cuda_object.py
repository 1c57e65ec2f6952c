# To be added to test/legacy_test/test_dlpack.py.

import subprocess
import sys
import unittest

import paddle

# Another process, because today this crashes
CODE = """
import paddle

class OnCuda:
    def __dlpack_device__(self):
        return paddle.utils.dlpack.DLDeviceType.kDLCUDA, 0

    def __dlpack__(self, **kwargs):
        raise BufferError("this array cannot be exported")

try:
    paddle.utils.dlpack.from_dlpack(OnCuda())
except Exception as e:
    print("raised", type(e).__name__)
"""


class TestDLPackCudaObject(unittest.TestCase):
    @unittest.skipIf(
        paddle.is_compiled_with_cuda(), "needs Paddle without CUDA"
    )
    def test_from_dlpack_cuda_object_without_cuda(self):
        result = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True
        )
        self.assertEqual(result.returncode, 0, result.stderr[-500:])
        self.assertIn("raised", result.stdout)


if __name__ == "__main__":
    unittest.main()
