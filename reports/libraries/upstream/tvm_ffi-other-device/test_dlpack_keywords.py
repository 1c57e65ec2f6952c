# To be added to tests/python/test_tensor.py.

import numpy as np
import pytest
import tvm_ffi


@pytest.mark.parametrize("max_version", [None, (1, 1)])
def test_dlpack_unsupported_dl_device(max_version: "tuple[int, int] | None") -> None:
    x = tvm_ffi.from_dlpack(np.arange(3, dtype="int32"))
    with pytest.raises(BufferError):
        x.__dlpack__(max_version=max_version, dl_device=(2, 0))


@pytest.mark.parametrize("max_version", [None, (1, 1)])
def test_dlpack_copy_true(max_version: "tuple[int, int] | None") -> None:
    data = np.arange(3, dtype="int32")
    x = tvm_ffi.from_dlpack(data)
    try:
        capsule = x.__dlpack__(max_version=max_version, copy=True)
    except BufferError:
        return
    y = np.from_dlpack(tvm_ffi.from_dlpack(capsule))
    assert not np.shares_memory(y, data)
