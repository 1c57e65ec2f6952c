# Owner(s): ["module: tests"]
# To be added to TestTorchDlPack in test/test_dlpack.py, beside test_dlpack_export_is_conj.

import torch
from torch.testing._internal.common_device_type import (
    instantiate_device_type_tests,
    onlyNativeDeviceTypes,
    skipMeta,
)
from torch.testing._internal.common_utils import run_tests, TestCase
from torch.utils.dlpack import from_dlpack, to_dlpack


class TestTorchDlPackLazyViews(TestCase):
    def _test_exported_or_refused(self, export, x):
        try:
            capsule = export(x)
        except (BufferError, RuntimeError):
            return  # DLPack has no such bit, so that a refusal is right
        self.assertEqual(from_dlpack(capsule), x.resolve_conj().resolve_neg())

    @skipMeta
    @onlyNativeDeviceTypes
    def test_to_dlpack_is_conj(self, device):
        x = torch.tensor([-1 + 1j, -2 + 2j, 3 - 3j], device=device).conj()
        self.assertTrue(x.is_conj())
        self._test_exported_or_refused(to_dlpack, x)

    @skipMeta
    @onlyNativeDeviceTypes
    def test_to_dlpack_is_neg(self, device):
        x = torch.tensor([-1 + 1j, -2 + 2j, 3 - 3j], device=device).conj().imag
        self.assertTrue(x.is_neg())
        self._test_exported_or_refused(to_dlpack, x)

    @skipMeta
    @onlyNativeDeviceTypes
    def test_dlpack_export_is_neg(self, device):
        x = torch.tensor([-1 + 1j, -2 + 2j, 3 - 3j], device=device).conj().imag
        self.assertTrue(x.is_neg())
        self._test_exported_or_refused(torch.Tensor.__dlpack__, x)


instantiate_device_type_tests(TestTorchDlPackLazyViews, globals(), allow_mps=True)

if __name__ == "__main__":
    run_tests()
