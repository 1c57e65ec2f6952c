# To be added to DLPackTest in tests/array_interoperability_test.py.

import ctypes

from absl.testing import absltest

import jax
import jax.numpy as jnp
from jax._src import test_util as jtu

jax.config.parse_flags_with_absl()
jtu.request_cpu_devices(2)


def _dlpack_device(capsule):
  """The device in the DLTensor of a legacy capsule."""
  get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
  get_pointer.restype = ctypes.c_void_p
  get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
  address = get_pointer(capsule, b"dltensor")
  device = (ctypes.c_int32 * 2).from_address(
      address + ctypes.sizeof(ctypes.c_void_p))
  return tuple(device)


class DLPackCpuDevicesTest(jtu.JaxTestCase):

  def setUp(self):
    super().setUp()
    if jax.device_count("cpu") < 2:
      self.skipTest("Test requires two CPU devices")
    self.x = jax.device_put(jnp.arange(4.0), jax.devices("cpu")[1])

  def testExportedDeviceIsThatOfDlpackDevice(self):
    self.assertEqual(
        _dlpack_device(self.x.__dlpack__()), self.x.__dlpack_device__())

  def testCpuDeviceIndexIsZero(self):
    self.assertEqual(_dlpack_device(self.x.__dlpack__()), (1, 0))

  def testFromDlpackKeepsCpuDevice(self):
    y = jnp.from_dlpack(self.x)
    self.assertEqual(y.device, self.x.device)
    self.assertAllClose(y, self.x)


if __name__ == "__main__":
  absltest.main(testLoader=jtu.JaxTestLoader())
