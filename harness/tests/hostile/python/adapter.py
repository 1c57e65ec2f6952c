# SPDX-License-Identifier: Apache-2.0
"""The adapter of plain_arrays, and what the variant does that the environment names."""

from __future__ import annotations

import os
import sys
from typing import Any

import dlcert

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import plain_arrays  # noqa: E402
from variants import VARIANTS  # noqa: E402


class Hostile(dlcert.Adapter):
    library = plain_arrays
    name = "hostile"

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and not spec.read_only and len(spec.shape) == 1

    def can_import(self, spec: dlcert.Spec) -> bool:
        return self.can(spec)

    def create(self, spec: dlcert.Spec, data: bytes) -> plain_arrays.Array:
        return plain_arrays.Array(spec.dtype, spec.shape, data)

    def describe(self, tensor: Any) -> dlcert.Description:
        return dlcert.Description(tensor.code, tensor.shape)

    def read(self, tensor: Any) -> bytes:
        return tensor.data

    def write(self, tensor: Any, data: bytes) -> None:
        tensor.data = data


VARIANTS[os.environ.get("DLCERT_HOSTILE", "plain")](Hostile)
