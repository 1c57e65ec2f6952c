# SPDX-License-Identifier: Apache-2.0
"""The base class of adapters."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Callable, ContextManager, NamedTuple

import _dlcert
from dlcert.spec import SMALL_FLOATS, Dtype, Spec
from dlcert.strided import Strided

_NAME = re.compile(r"(?:.*\.)?(bool|bfloat|complex|float|uint|int)(\d*)")
_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}
_SMALL_CODES = {name: code for code, name in SMALL_FLOATS.items()}


class NotFormable(Exception):
    """Raised by a method whose library has no such parameter or value: the case does not count."""


class Description(NamedTuple):
    """What the library says of one of its tensors."""

    dtype: tuple[int, int, int]
    shape: tuple[int, ...]
    device: tuple[int, int] = (1, 0)
    strides: tuple[int, ...] | None = None  # in elements; None: the library does not tell
    data: int = 0  # the address of element (0, ..., 0); 0: it does not tell, or has none
    storage: tuple[int, int] = (0, 0)  # address and bytes of the allocation behind it; 0: not told
    read_only: bool = False


class Adapter:
    """Shows a library to dlcert: a generic way by `from_dlpack`, and what differs in a subclass.

    A tensor is any object of the library. Exceptions of the library reach dlcert as they are; they
    are never caught here.
    """

    library: ModuleType
    # The type whose __dlpack_c_exchange_api__ is judged; None: the library publishes no table.
    array_type: type | None = None
    # The parameters that the library's functions have, beside the source. A call that gives another
    # one a value cannot be formed; None for it is left out.
    export_arguments: frozenset[str] = frozenset({"stream", "max_version", "dl_device", "copy"})
    import_arguments: frozenset[str] = frozenset({"device", "copy"})
    # The names of the dtypes that the generic can() claims.
    dtypes: frozenset[str] = frozenset(
        {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"})

    runtime: str | None = None  # the runtime rules that the library follows, such as "torch-2.4"
    vendor: str | None = None  # "cuda" or "rocm": the library is built for the devices of that one alone
    faithful_errors = True  # exceptions are those that users see
    thread_safe = False  # methods may overlap, on several threads
    knows_read_only = False  # the library has read-only tensors
    passes_codes_through = False  # it hands on codes that it does not know
    # What the library raises where a call that waited for its initialization has failed.
    deferred_error: type[BaseException] | None = None

    @property
    def name(self) -> str:
        """The library's name in reports."""
        return self.library.__name__

    @property
    def version(self) -> str:
        """The library's own version."""
        return self.library.__version__

    @property
    def from_dlpack(self) -> Callable[..., Any] | None:
        """The library's function of that name; None: it has none."""
        return getattr(self.library, "from_dlpack", None)

    # ---- tensors ----

    def can(self, spec: Spec) -> bool:
        """Whether the library can make such a tensor; it is asked for no other."""
        return spec.plain and not spec.read_only and spec.dtype.name in self.dtypes

    def create(self, spec: Spec, data: bytes) -> Any:
        """A new tensor of the logical bytes `data`."""
        return self.from_dlpack(Strided(spec, data))

    def describe(self, tensor: Any) -> Description:
        """What the library says of `tensor`; of one without __dlpack_device__, that it is on the host."""
        if self.dlpack_device is None:
            return Description(self.dtype_of(tensor), tuple(tensor.shape))
        return Description(self.dtype_of(tensor), tuple(tensor.shape),
                           tuple(int(value) for value in tensor.__dlpack_device__()))

    def read(self, tensor: Any) -> bytes:
        """The logical bytes of `tensor`."""
        if self.export_capsule is None:
            return _dlcert.logical_bytes(self.to_dlpack(tensor))
        newest = {"max_version": (1, 3)} if "max_version" in self.export_arguments else {}
        return _dlcert.logical_bytes(tensor.__dlpack__(**newest))

    # ---- exchange ----

    def dlpack_device(self, tensor: Any) -> tuple[int, int]:
        """The device of `tensor`, as other libraries ask for it."""
        return tensor.__dlpack_device__()

    def export_capsule(self, tensor: Any, **arguments: Any) -> Any:
        """The capsule of `tensor`."""
        if not arguments.keys() <= self.export_arguments:
            arguments = self.formable(arguments, self.export_arguments)
        return tensor.__dlpack__(**arguments)

    def device(self, device: tuple[int, int]) -> Any:
        """The library's own object for a DLPack device, which its from_dlpack takes."""
        raise NotFormable

    def import_from(self, source: Any, **arguments: Any) -> Any:
        """A tensor over an object with __dlpack__ and __dlpack_device__."""
        if type(arguments.get("device")) is tuple:
            arguments["device"] = self.device(arguments["device"])
        if not arguments.keys() <= self.import_arguments:
            arguments = self.formable(arguments, self.import_arguments)
        return self.from_dlpack(source, **arguments)

    def exchange_table(self) -> int:
        """The address of the DLPackExchangeAPI that `array_type` publishes."""
        return _dlcert.capsule_pointer(self.array_type.__dlpack_c_exchange_api__,
                                       "dlpack_exchange_api")

    # ---- devices, runtime and telemetry: a subclass has the methods that its library serves ----

    def named_device(self, device: tuple[int, int]) -> Any:
        """The library's own object for a DLPack device; index -1: a device without index."""
        return self.device(device)

    def with_guard(self, guard: ContextManager[Any], body: Callable[[], None]) -> None:
        """Calls `body` inside a guard, which is a context manager."""
        with guard:
            body()

    # ---- programs that show a case without dlcert ----

    def source_imports(self) -> str:
        """Lines that import the library, and name its from_dlpack."""
        name = self.library.__name__
        if self.from_dlpack is None:
            return f"import {name}"
        return f"import {name}\nfrom {name} import from_dlpack"

    def source_create(self, spec: Spec, data: bytes) -> str:
        """An expression that makes what create() makes, of the library alone."""
        raise NotFormable

    def source_read(self) -> str:
        """An expression that gives the logical bytes of x."""
        raise NotFormable

    def source_device(self, device: tuple[int, int]) -> str:
        """An expression for what device() gives."""
        return repr(self.device(device))

    # ---- for subclasses ----

    @staticmethod
    def formable(arguments: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
        """`arguments` without those that the library does not know and that are None."""
        if any(value is not None for name, value in arguments.items() if name not in known):
            raise NotFormable
        return {name: value for name, value in arguments.items() if name in known}

    @staticmethod
    def named_dtype(name: str) -> Dtype:
        """The dtype that libraries call so: "float32", "torch.float8_e5m2", "bool"."""
        small = name.rpartition(".")[2]
        if small in _SMALL_CODES:
            return Dtype(_SMALL_CODES[small], int(small[5]), 1)
        found = _NAME.fullmatch(name)
        if found is None:
            raise TypeError(f"dtype '{name}': its name is not known")
        kind, bits = found.groups()
        return Dtype(_CODES[kind], int(bits) if bits else 8, 1)

    @classmethod
    def dtype_of(cls, tensor: Any) -> Dtype:
        """The dtype of `tensor`, by its name."""
        return cls.named_dtype(str(tensor.dtype))
