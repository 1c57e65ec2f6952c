# To be added to python/pyarrow/tests/test_dlpack.py.

import pytest

import pyarrow as pa

np = pytest.importorskip("numpy")


@pytest.mark.parametrize('copy', [None, True])
def test_tensor_strides_not_multiple_of_item_size(copy):
    packed = np.zeros(3, dtype=[("flag", "u1"), ("value", "f4")])
    packed["value"] = [1, 2, 3]
    tensor = pa.Tensor.from_numpy(packed["value"])
    assert tensor.strides == (5,)

    try:
        result = np.from_dlpack(tensor, copy=copy)
    except BufferError:
        return  # DLPack counts strides in elements and cannot describe these
    np.testing.assert_array_equal(result, packed["value"])
