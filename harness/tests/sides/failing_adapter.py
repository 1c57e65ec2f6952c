# SPDX-License-Identifier: Apache-2.0
"""A right adapter of a library that fails: of wrong.py, or of the extension module over it."""

import os

import dlcert
import wrong

library = wrong
if os.environ["ACME"] == "native":
    import acme_native as library


class Failing(dlcert.Adapter):
    dtypes = frozenset(wrong.DTYPES)
    array_api = "2024.12"

    def __init__(self):
        self.library = library

    def can(self, spec):
        return super().can(spec) and spec.compact and spec.storage_size == spec.size

    def create(self, spec, data):
        make = getattr(library, "array", wrong.Array)
        return make(data, spec.dtype.name, spec.shape)

    def describe(self, array):
        return dlcert.Description(self.dtype_of(array), array.shape)

    def read(self, array):
        return array.tobytes()
