# SPDX-License-Identifier: Apache-2.0
"""kornia-rs's images on the host: height, width, channels; and its preprocessor's tensors: 1, 3, height, width."""

from __future__ import annotations

from typing import Any, Callable

import dlcert
import kornia_rs
import numpy
from kornia_rs import Preprocessor, Tensor
from kornia_rs.image import Image

DTYPES = frozenset({"uint8", "uint16", "int32", "float32"})
IMPORTED_DTYPES = DTYPES - {"int32"}
IMPORTED_CHANNELS = (1, 3, 4)
MOST_PIXELS = 1 << 12  # of an axis of a tensor, which is computed


class KorniaRs(dlcert.Adapter):
    library = kornia_rs
    import_arguments: frozenset[str] = frozenset()
    knows_read_only = True

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return Image.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        # An array in another order is copied into a compact image.
        if not spec.plain or not _row_major(spec):
            return False
        return _is_tensor(spec) or (len(spec.shape) == 3 and spec.dtype.name in DTYPES)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (spec.plain and _row_major(spec) and len(spec.shape) == 3 and 0 not in spec.shape
                and spec.shape[2] in IMPORTED_CHANNELS and spec.dtype.name in IMPORTED_DTYPES)

    def create(self, spec: dlcert.Spec, data: bytes) -> Image | Tensor:
        if len(spec.shape) == 4:
            tensor = Preprocessor().run(numpy.zeros(12, numpy.uint8), 2, 2, *spec.shape[2:])
            self.write(tensor, data)
            return tensor
        size = spec.dtype.itemsize
        storage = numpy.frombuffer(bytearray(max(spec.storage_size, 1) * size), spec.dtype.name)
        array = storage[spec.offset:spec.offset + spec.size].reshape(spec.shape)
        array[...] = numpy.frombuffer(data, spec.dtype.name).reshape(spec.shape)
        array.flags.writeable = not spec.read_only
        return Image.from_numpy(array)

    def describe(self, tensor: Image | Tensor) -> dlcert.Description:
        on_host = tensor.__dlpack_device__()[0] == 1
        return super().describe(tensor)._replace(
            data=tensor.data_ptr, read_only=on_host and not tensor.numpy().flags.writeable)

    def read(self, tensor: Image | Tensor) -> bytes:
        return tensor.numpy().tobytes()

    def write(self, tensor: Image | Tensor, data: bytes) -> None:
        array = tensor.numpy()
        if not array.flags.writeable:
            raise BufferError("the image is read-only")
        array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)

    def source_imports(self) -> str:
        return "import kornia_rs\nimport numpy\nfrom kornia_rs.image import Image\nfrom_dlpack = Image.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        values = f'numpy.frombuffer({"bytes" if spec.read_only else "bytearray"}.fromhex("{data.hex()}"), ' \
                 f'"{spec.dtype.name}").reshape({spec.shape})'
        if len(spec.shape) != 4:
            return f"Image.from_numpy({values})"
        return f"(lambda t: t.numpy().__setitem__(..., {values}) or t)(kornia_rs.Preprocessor().run(" \
               f'numpy.zeros(12, "uint8"), 2, 2, {spec.shape[2]}, {spec.shape[3]}))'

    def source_read(self) -> str:
        return "x.numpy().tobytes()"


def _row_major(spec: dlcert.Spec) -> bool:
    """Whether the elements lie in row-major order, wherever the first one is."""
    return spec._replace(offset=0).compact


def _is_tensor(spec: dlcert.Spec) -> bool:
    """Whether the preprocessor makes such a tensor."""
    return (len(spec.shape) == 4 and spec.shape[:2] == (1, 3) and spec.dtype.name == "float32"
            and spec.compact and not spec.read_only
            and all(0 < extent <= MOST_PIXELS for extent in spec.shape))
