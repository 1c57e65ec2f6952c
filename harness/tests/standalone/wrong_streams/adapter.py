# SPDX-License-Identifier: Apache-2.0
"""The library wrong_streams, with the fault that the environment names."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import dlcert

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import wrong_streams  # noqa: E402

_spec = importlib.util.spec_from_file_location(
    "_reference_adapter", HERE.parents[3] / "harness/adapters/python/dlcert_reference.py",
    submodule_search_locations=[str(HERE.parents[3] / "harness/adapters/python")])
_module = importlib.util.module_from_spec(_spec)
sys.modules["_reference_adapter"] = _module
_spec.loader.exec_module(_module)

FAULT = os.environ[wrong_streams.VARIABLE]
wrong_streams.plant(FAULT)


class WrongStreams(_module.Reference):
    library = wrong_streams
    array_type = wrong_streams.Array
    name = "wrong_streams"
    # Tables are no matter of these programs.
    exchange_table = None

    def source_imports(self) -> str:
        return f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport wrong_streams\n" \
               f"wrong_streams.plant({FAULT!r})\nfrom wrong_streams import from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state != dlcert.State.PLAIN or spec.padded or spec.byte_strides or spec.read_only:
            raise dlcert.NotFormable
        return f'wrong_streams.Array(bytes.fromhex("{data.hex()}"), {tuple(spec.dtype)}, {spec.shape}, ' \
               f"{spec.strides}, {spec.offset}, storage_size={spec.storage_size}, device={spec.device})"

    def source_read(self) -> str:
        return "x.tobytes()"
