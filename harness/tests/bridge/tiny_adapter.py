# SPDX-License-Identifier: Apache-2.0
"""An adapter whose answers show what reached it."""

import importlib.util
import os
import sys
import warnings

import dlcert

_spec = importlib.util.spec_from_file_location(
    "tiny", os.path.join(os.path.dirname(__file__), "tiny.py"))
tiny = importlib.util.module_from_spec(_spec)
sys.modules["tiny"] = tiny
_spec.loader.exec_module(tiny)

RAISED = {4: BufferError, 5: ValueError, 6: TypeError, 7: RuntimeError, 8: AttributeError,
          9: AssertionError, 10: IndexError, 11: OSError, 12: MemoryError, 13: NotImplementedError,
          14: ModuleNotFoundError, 15: KeyError, 16: KeyboardInterrupt, 17: SystemExit}


class Stubborn(Exception):
    def __str__(self):
        raise ValueError("no text")


class Leaking:
    def __del__(self):
        raise LookupError("nobody hears it")


class Cycle:
    """Garbage that only a collection finds."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        tiny.collected += 1


tiny.collected = 0


class Tiny(dlcert.Adapter):
    library = tiny
    knows_read_only = True
    runtime = "torch-2.4"
    alias = None

    def can(self, spec):
        return spec.plain and not spec.read_only

    def create(self, spec, data):
        extent = spec.shape[0] if spec.shape else 0
        if extent == 20:
            raise dlcert.NotFormable
        if extent == 22:
            warnings.warn("take care", UserWarning)
        if extent == 23:
            Leaking()
        if extent == 24:
            return undefined_name
        if extent == 25:
            Cycle()
        return tiny.Array(data, spec.dtype, spec.shape)

    def describe(self, array):
        if array.shape == (30,):
            return "nothing of the kind"
        return dlcert.Description(array.dtype, array.shape, (1, 0), (1,) * len(array.shape), 4096,
                                  (2048, 99), True)

    def read(self, array):
        return array.data

    def export_capsule(self, array, **arguments):
        extent = array.shape[0]
        if extent in RAISED:
            raise RAISED[extent]("as asked for")
        if extent == 21:
            raise Stubborn
        return array.__dlpack__(**arguments)

    def source_create(self, spec, data):
        return f"{spec.dtype.name} {spec.shape} {spec.strides} {spec.offset} {spec.storage_size} " \
               f"{spec.device} {spec.read_only} {spec.padded} {spec.byte_strides} {spec.state} " \
               f"{data.hex()}"
