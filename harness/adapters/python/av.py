# SPDX-License-Identifier: Apache-2.0
"""PyAV's planes of video frames: bytes or 16-bit numbers in padded rows, gray or of three or four channels."""

from __future__ import annotations

from typing import Any

import av
import dlcert

# By dtype and channels; a gray plane has two axes.
FORMATS = {("uint8", 1): "gray", ("uint8", 3): "rgb24", ("uint8", 4): "rgba",
           ("uint16", 1): "gray16le", ("uint16", 3): "rgb48le", ("uint16", 4): "rgba64le"}
KINDS = {name: kind for kind, name in FORMATS.items()}
MOST_PIXELS = 1 << 12  # of an axis: FFmpeg limits their product


class PyAV(dlcert.Adapter):
    library = av
    export_arguments = frozenset({"stream"})
    import_arguments: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._formats: dict[int, str] = {}  # by id: a plane does not tell it

    @property
    def from_dlpack(self) -> Any:
        """The importer says which format it expects: one of bytes, which is gray."""
        return self._import

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec.plain and spec.compact and not spec.read_only and _format(spec) is not None
                and all(0 < extent <= MOST_PIXELS for extent in spec.shape))

    def can_import(self, spec: dlcert.Spec) -> bool:
        return self.can(spec) and _format(spec) == "gray"

    def create(self, spec: dlcert.Spec, data: bytes) -> Any:
        height, width = spec.shape[:2]
        name = _format(spec)
        plane = av.VideoFrame(width, height, name).planes[0]
        self._formats[id(plane)] = name
        self.write(plane, data)
        return plane

    def describe(self, tensor: Any) -> dlcert.Description:
        name, channels = KINDS[self._formats[id(tensor)]]
        dtype = self.named_dtype(name)
        row = tensor.line_size // dtype.itemsize
        if channels == 1:
            return dlcert.Description(dtype, (tensor.height, tensor.width), (1, 0), (row, 1), tensor.buffer_ptr)
        return dlcert.Description(dtype, (tensor.height, tensor.width, channels), (1, 0),
                                  (row, channels, 1), tensor.buffer_ptr)

    def write(self, tensor: Any, data: bytes) -> None:
        memory, row = memoryview(tensor).cast("B"), self._row(tensor)
        for number, at in enumerate(self._starts(tensor)):
            memory[at:at + row] = data[number * row:(number + 1) * row]

    def source_imports(self) -> str:
        return "import av\nfrom_dlpack = lambda x, **o: av.VideoFrame.from_dlpack(x, format='gray', **o).planes[0]"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        height, width = spec.shape[:2]
        row = len(data) // height
        return f'(lambda p, d: [memoryview(p).cast("B").__setitem__(slice(r * p.line_size, r * p.line_size + {row}), ' \
               f"d[r * {row}:(r + 1) * {row}]) for r in range({height})] and p)(" \
               f'av.VideoFrame({width}, {height}, "{_format(spec)}").planes[0], bytes.fromhex("{data.hex()}"))'

    def source_read(self) -> str:
        return 'b"".join(bytes(x)[r * x.line_size:r * x.line_size + x.width] for r in range(x.height))'

    def _import(self, source: Any, **options: Any) -> Any:
        plane = av.VideoFrame.from_dlpack(source, format="gray", **options).planes[0]
        self._formats[id(plane)] = "gray"
        return plane

    def _row(self, tensor: Any) -> int:
        """Bytes of a row, without its padding."""
        name, channels = KINDS[self._formats[id(tensor)]]
        return tensor.width * channels * self.named_dtype(name).itemsize

    @staticmethod
    def _starts(tensor: Any) -> range:
        return range(0, tensor.height * tensor.line_size, tensor.line_size)


def _format(spec: dlcert.Spec) -> str | None:
    if len(spec.shape) == 2:
        return FORMATS.get((spec.dtype.name, 1))
    if len(spec.shape) == 3 and spec.shape[2] != 1:
        return FORMATS.get((spec.dtype.name, spec.shape[2]))
    return None
