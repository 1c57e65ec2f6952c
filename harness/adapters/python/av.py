# SPDX-License-Identifier: Apache-2.0
"""PyAV's planes of video frames: bytes or 16-bit numbers in padded rows, of one to four components."""

from __future__ import annotations

import ctypes
from typing import Any

import av
import dlcert
import numpy
from av import VideoFrame

# By dtype and components; a plane of one component has two axes.
FORMATS = {("uint8", 1): "gray", ("uint8", 2): "ya8", ("uint8", 3): "rgb24", ("uint8", 4): "rgba",
           ("uint16", 1): "gray16le", ("uint16", 2): "ya16le", ("uint16", 3): "rgb48le",
           ("uint16", 4): "rgba64le"}
KINDS = {name: kind for kind, name in FORMATS.items()}
OVER_ARRAYS = frozenset(FORMATS.values()) - {"ya8", "ya16le"}  # those of from_numpy_buffer
MOST_PIXELS = 1 << 12  # of an axis: FFmpeg limits their product
MOST_APART = 1 << 20  # elements from row to row: an int of FFmpeg's counts bytes


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
        name = _format(spec)
        if name is None or not spec.plain or spec.read_only or max(spec.shape) > MOST_PIXELS:
            return False
        return _is_fresh(spec) or (name in OVER_ARRAYS and _has_whole_rows(spec) and spec.strides[0] >= 0)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (_format(spec) == "gray" and spec.plain and not spec.read_only and _has_whole_rows(spec)
                and all(0 < extent <= MOST_PIXELS for extent in spec.shape))

    def create(self, spec: dlcert.Spec, data: bytes) -> Any:
        height, width = spec.shape[:2]
        name = _format(spec)
        frame = VideoFrame(width, height, name) if _is_fresh(spec) else \
            VideoFrame.from_numpy_buffer(_array(spec), name)
        plane = self._plane(frame, name)
        self.write(plane, data)
        return plane

    def describe(self, tensor: Any) -> dlcert.Description:
        name, components = KINDS[self._formats[id(tensor)]]
        dtype = self.named_dtype(name)
        inner = (components, 1) if components > 1 else (1,)
        return dlcert.Description(dtype, (tensor.height, tensor.width, *inner[:-1]), (1, 0),
                                  (tensor.line_size // dtype.itemsize, *inner), tensor.buffer_ptr)

    def read(self, tensor: Any) -> bytes:
        return b"".join(ctypes.string_at(row, self._row_bytes(tensor)) for row in _rows(tensor))

    def write(self, tensor: Any, data: bytes) -> None:
        size = self._row_bytes(tensor)
        for number, row in enumerate(_rows(tensor)):
            ctypes.memmove(row, data[number * size:(number + 1) * size], size)

    def source_imports(self) -> str:
        return "import av, ctypes, numpy\n" \
               "from_dlpack = lambda x, **o: av.VideoFrame.from_dlpack(x, format='gray', **o).planes[0]"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        height, width = spec.shape[:2]
        name = _format(spec)
        if not _is_fresh(spec):
            size = spec.dtype.itemsize
            storage = dlcert.laid_out(spec, data).hex()
            return f'av.VideoFrame.from_numpy_buffer(numpy.ndarray({spec.shape}, "{spec.dtype.name}", ' \
                   f'bytearray.fromhex("{storage}"), {spec.offset * size}, ' \
                   f'{tuple(stride * size for stride in spec.strides)}), "{name}").planes[0]'
        row = len(data) // height
        return f"(lambda p, d: [ctypes.memmove(p.buffer_ptr + r * p.line_size, d[r * {row}:], {row}) " \
               f"for r in range({height})] and p)(" \
               f'av.VideoFrame({width}, {height}, "{name}").planes[0], bytes.fromhex("{data.hex()}"))'

    def source_read(self) -> str:
        return 'b"".join(ctypes.string_at(x.buffer_ptr + r * x.line_size, x.width) for r in range(x.height))'

    def _import(self, source: Any, **options: Any) -> Any:
        return self._plane(VideoFrame.from_dlpack(source, format="gray", **options), "gray")

    def _plane(self, frame: VideoFrame, name: str) -> Any:
        plane = frame.planes[0]
        self._formats[id(plane)] = name
        return plane

    def _row_bytes(self, tensor: Any) -> int:
        """Bytes of a row, without its padding."""
        name, components = KINDS[self._formats[id(tensor)]]
        return tensor.width * components * self.named_dtype(name).itemsize


def _format(spec: dlcert.Spec) -> str | None:
    """The format of one plane that is such a tensor."""
    if len(spec.shape) == 2:
        return FORMATS.get((spec.dtype.name, 1))
    if len(spec.shape) == 3 and spec.shape[2] != 1:
        return FORMATS.get((spec.dtype.name, spec.shape[2]))
    return None


def _is_fresh(spec: dlcert.Spec) -> bool:
    """Whether FFmpeg allocates such a frame; it pads the rows."""
    return spec.compact and 0 not in spec.shape


def _has_whole_rows(spec: dlcert.Spec) -> bool:
    """Whether the elements of a row follow each other, and the rows are not too far apart."""
    return abs(spec.strides[0]) <= MOST_APART and spec.strides[1:] == ((1,) if len(spec.shape) == 2 else (spec.shape[2], 1))


def _array(spec: dlcert.Spec) -> numpy.ndarray:
    """An array that lies as `spec` says."""
    size = spec.dtype.itemsize
    storage = bytearray(max(spec.storage_size, 1) * size)
    return numpy.ndarray(spec.shape, spec.dtype.name, storage, spec.offset * size,
                         tuple(stride * size for stride in spec.strides))


def _rows(tensor: Any) -> list[int]:
    """The addresses of the rows."""
    return [tensor.buffer_ptr + row * tensor.line_size for row in range(tensor.height)]
