# SPDX-License-Identifier: Apache-2.0
"""kornia-rs's images on the host: height, width, channels."""

from __future__ import annotations

from typing import Any, Callable

import dlcert
import kornia_rs
import numpy
from kornia_rs.image import Image

MOST_CHANNELS = 8
IMPORTED = (1, 3, 4)  # channels


class KorniaRs(dlcert.Adapter):
    library = kornia_rs
    dtypes = frozenset({"uint8", "uint16", "float32"})
    import_arguments: frozenset[str] = frozenset()

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return Image.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        return (super().can(spec) and spec.compact and len(spec.shape) == 3 and 0 not in spec.shape
                and spec.shape[2] <= MOST_CHANNELS)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return self.can(spec) and spec.shape[2] in IMPORTED

    def create(self, spec: dlcert.Spec, data: bytes) -> Image:
        return Image.from_numpy(numpy.frombuffer(bytearray(data), spec.dtype.name).reshape(spec.shape))

    def describe(self, tensor: Image) -> dlcert.Description:
        return super().describe(tensor)._replace(data=tensor.data_ptr)

    def read(self, tensor: Image) -> bytes:
        return tensor.tobytes()

    def source_imports(self) -> str:
        return "import kornia_rs\nimport numpy\nfrom kornia_rs.image import Image\nfrom_dlpack = Image.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        return f'Image.from_numpy(numpy.frombuffer(bytearray.fromhex("{data.hex()}"), "{spec.dtype.name}")' \
               f".reshape({spec.shape}))"

    def source_read(self) -> str:
        return "x.tobytes()"
