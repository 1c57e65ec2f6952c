# To be added to TestDLPack in dpnp/tests/test_dlpack.py.

import numpy
import pytest
from numpy.testing import assert_array_equal

import dpnp


class TestDLPackCopy:
    @pytest.mark.parametrize("max_version", [None, (1, 0)])
    def test_copy_true_is_a_copy(self, max_version):
        class Exported:
            def __init__(self, array):
                self.device = array.__dlpack_device__()
                self.capsule = array.__dlpack__(
                    copy=True, max_version=max_version
                )

            def __dlpack_device__(self):
                return self.device

            def __dlpack__(self, **kwargs):
                return self.capsule

        x = dpnp.arange(5)
        y = dpnp.from_dlpack(Exported(x))
        x[:] = -1
        assert_array_equal(y.asnumpy(), numpy.arange(5))
