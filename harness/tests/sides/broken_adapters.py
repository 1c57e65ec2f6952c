# SPDX-License-Identifier: Apache-2.0
"""Adapters of wrong.py, each with one mistake, and what dlcert must say of it."""

from __future__ import annotations

from typing import NamedTuple

_WHOLE = '''\
import struct

import dlcert
import numpy
import wrong

TABLE = {"float16": (2, 16, 1)}
NAMES = {"int32": "int32", "int64": "int64", "float32": "float32"}


def looked_up(name):
    return TABLE[name]


class Acme(dlcert.Adapter):
    library = wrong
    dtypes = frozenset(wrong.DTYPES)
'''
_METHODS = {
    "can": '''\
    def can(self, spec):
        return super().can(spec) and spec.compact and spec.storage_size == spec.size
''',
    "create": '''\
    def create(self, spec, data):
        return wrong.Array(data, spec.dtype.name, spec.shape)
''',
    "describe": '''\
    def describe(self, array):
        return dlcert.Description(self.dtype_of(array), array.shape)
''',
    "read": '''\
    def read(self, array):
        return array.tobytes()
''',
}


class Broken(NamedTuple):
    """A method in place of the right one, and a part of what is printed: the fault of the adapter
    (exit code 2), or "not judged: ..."."""

    method: str
    body: str
    expected: str


_FAULT = "a fault of the adapter: "
_UNKNOWN = "not judged: the adapter's "

BROKEN = {
    "dtype_of_dlcert_called_wrongly": Broken(
        "describe(self, array)", 'return dlcert.Description(dlcert.Dtype("uint8"), array.shape)',
        f"{_FAULT}describe(): TypeError: Dtype.__new__() missing 2 required"),
    "table_lacks_a_dtype_of_the_library": Broken(
        "describe(self, array)", "return dlcert.Description(TABLE[array.dtype], array.shape)",
        f"{_UNKNOWN}describe() raised KeyError"),
    "table_lacks_it_in_a_function": Broken(
        "describe(self, array)", "return dlcert.Description(looked_up(array.dtype), array.shape)",
        f"{_UNKNOWN}describe() raised KeyError"),
    "table_lacks_a_claimed_dtype": Broken(
        "create(self, spec, data)", "return wrong.Array(data, NAMES[spec.dtype.name], spec.shape)",
        "; let can() return False for such tensors"),
    "table_of_the_library_lacks_a_name": Broken(
        "create(self, spec, data)", 'return wrong.Array(data, wrong.DTYPES["float"], spec.shape)',
        f"{_FAULT}create(): KeyError: 'float'"),
    "misspelt_name": Broken(
        "create(self, spec, data)", "return wrong.Array(data, spec.dtype.name, spec.shape, nmae)",
        f"{_FAULT}create(): NameError: name 'nmae' is not defined"),
    "misspelt_function_of_the_library": Broken(
        "create(self, spec, data)", "return wrong.Aray(data, spec.dtype.name, spec.shape)",
        "did you mean 'Array'?"),
    "misspelt_member_of_a_spec": Broken(
        "create(self, spec, data)", "return wrong.Array(data, spec.dtype.name, spec.shpae)",
        "did you mean 'shape'?"),
    "misspelt_member_of_an_array": Broken(
        "describe(self, array)", "return dlcert.Description(self.dtype_of(array), array.shpae)",
        f"{_UNKNOWN}describe() raised AttributeError"),
    "parameter_is_missing": Broken(
        "create(self, spec)", "return wrong.Array(b'', spec.dtype.name, spec.shape)",
        "; dlcert calls create(self, spec"),
    "can_has_no_answer": Broken(
        "can(self, spec)", "return NAMES[spec.dtype.name] and spec.compact",
        "; let can() return False for what the library cannot make"),
    "can_returns_nothing": Broken(
        "can(self, spec)", "spec.compact", f"{_FAULT}can(): expected True or False but found None"),
    "create_returns_nothing": Broken(
        "create(self, spec, data)", "wrong.Array(data, spec.dtype.name, spec.shape)",
        f"{_FAULT}create(): expected a tensor but found None"),
    "create_leaves_out_an_argument": Broken(
        "create(self, spec, data)", "return wrong.Array(data, spec.dtype.name)",
        f"{_UNKNOWN}create() raised TypeError"),
    "create_asks_numpy_for_lanes": Broken(
        "create(self, spec, data)",
        "return wrong.Array(data, numpy.dtype('float32x4').name, spec.shape)",
        f"{_FAULT}create(): TypeError: data type 'float32x4' not understood"),
    "create_asks_numpy_for_a_name": Broken(
        "create(self, spec, data)",
        "name = f'{spec.dtype.name}x4'; return wrong.Array(data, numpy.dtype(name), spec.shape)",
        f"{_UNKNOWN}create() raised TypeError"),
    "create_converts_wrongly": Broken(
        "create(self, spec, data)", "return wrong.Array(data, int('float32'), spec.shape)",
        f"{_FAULT}create(): ValueError: invalid literal"),
    "describe_measures_none": Broken(
        "describe(self, array)", "return dlcert.Description(self.dtype_of(array), len(None))",
        f"{_FAULT}describe(): TypeError: object of type 'NoneType' has no len()"),
    "describe_converts_wrongly": Broken(
        "describe(self, array)", "return dlcert.Description(int(array.dtype), array.shape)",
        f"{_UNKNOWN}describe() raised ValueError"),
    "describe_raises": Broken(
        "describe(self, array)", "raise ValueError(f'unknown dtype {array.dtype}')",
        f"{_UNKNOWN}describe() raised ValueError"),
    "describe_asserts": Broken(
        "describe(self, array)", "assert array.dtype in ('float16',)",
        f"{_UNKNOWN}describe() raised AssertionError"),
    "describe_knows_no_such_name": Broken(
        "describe(self, array)",
        "return dlcert.Description(self.named_dtype('f' + array.dtype), ())",
        f"{_UNKNOWN}describe() raised TypeError"),
    "describe_returns_another_shape": Broken(
        "describe(self, array)", "return dlcert.Description(self.dtype_of(array), 'a shape')",
        f"{_FAULT}describe(): expected a dlcert.Description but found"),
    "describe_returns_a_pair": Broken(
        "describe(self, array)", "return self.dtype_of(array), array.shape",
        f"{_FAULT}describe(): expected a dlcert.Description but found"),
    "read_returns_nothing": Broken("read(self, array)", "array.tobytes()", f"{_FAULT}read(): "),
    "read_returns_too_few_bytes": Broken(
        "read(self, array)", "return array.tobytes()[:-1]",
        "bytes, as describe() says, but found "),
    "read_calls_the_library_wrongly": Broken(
        "read(self, array)", "return array.tobytes('C')", f"{_UNKNOWN}read() raised TypeError"),
    "read_packs_wrongly": Broken(
        "read(self, array)", "return struct.pack('<q', array.tobytes())",
        f"{_UNKNOWN}read() raised error"),
    "write_is_a_generator": Broken(
        "write(self, array, data)", "yield from data", f"{_FAULT}write(): expected None but found"),
    "export_returns_nothing": Broken(
        "export_capsule(self, array, **arguments)", "array.__dlpack__(**arguments)",
        f"{_FAULT}export_capsule(): expected a result but the method returns nothing"),
    "export_returns_nothing_for_one_argument": Broken(
        "export_capsule(self, array, **arguments)",
        "return None if arguments.get('max_version') else array.__dlpack__(**arguments)",
        f"{_FAULT}export_capsule(): expected the capsule that the tensor's __dlpack__ gives"),
    "export_looks_up_wrongly": Broken(
        "export_capsule(self, array, **arguments)",
        "return array.__dlpack__(copy={True: True}[arguments.get('copy')])",
        f"{_FAULT}export_capsule(): KeyError: None"),
    "import_returns_nothing": Broken(
        "import_from(self, source, **arguments)", "wrong.from_dlpack(source)",
        f"{_FAULT}import_from(): expected a result but the method returns nothing"),
    "device_returns_nothing": Broken(
        "dlpack_device(self, array)", "array.__dlpack_device__()",
        f"{_FAULT}dlpack_device(): expected a result but the method returns nothing"),
}


def source_of(name: str) -> str:
    """The text of the adapter."""
    broken = BROKEN[name]
    changed = broken.method.partition("(")[0]
    own = f"    def {broken.method}:\n        {broken.body}\n"
    kept = [text for method, text in _METHODS.items() if method != changed]
    return "\n".join([_WHOLE, *kept, own])
