# SPDX-License-Identifier: Apache-2.0
"""The adapter of wrong.py."""

import dlcert
import wrong


class Wrong(dlcert.Adapter):
    library = wrong
    dtypes = frozenset(wrong.DTYPES)

    def can(self, spec):
        return super().can(spec) and spec.compact and spec.storage_size == spec.size

    def create(self, spec, data):
        return wrong.Array(data, spec.dtype.name, spec.shape)

    def read(self, array):
        return array.tobytes()

    def source_create(self, spec, data):
        return f'wrong.Array(bytes.fromhex("{data.hex()}"), "{spec.dtype.name}", {spec.shape})'

    def source_read(self):
        return "x.tobytes()"
