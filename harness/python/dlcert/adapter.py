# SPDX-License-Identifier: Apache-2.0
"""The base class of adapters."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Callable, ContextManager, NamedTuple

try:
    import _dlcert
except ImportError:  # only the interpreter of a worker has it
    pass

from dlcert.spec import SMALL_FLOATS, Dtype, Spec
from dlcert.strided import Strided

_NAME = re.compile(r"(?:.*\.)?(bool|bfloat|complex|float|uint|int)(\d*)")
_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}
_SMALL_CODES = {name: code for code, name in SMALL_FLOATS.items()}


class NotFormable(Exception):
    """Raise this if the library has no such parameter or value. The case then does not count."""


class Description(NamedTuple):
    """The properties of a tensor, as its library reports them."""

    dtype: tuple[int, int, int]
    shape: tuple[int, ...]
    device: tuple[int, int] = (1, 0)
    strides: tuple[int, ...] | None = None  # in elements; None: not reported
    data: int = 0  # the address of element (0, ..., 0); 0: not reported, or none
    storage: tuple[int, int] = (0, 0)  # address and bytes of its allocation; 0: not reported
    read_only: bool = False


class Adapter:
    """Gives dlcert access to a library. Derive a class from it for each library.

    The default methods use `from_dlpack`, `__dlpack__`, `shape` and `dtype`; override those that do
    not fit the library. A tensor is any object of the library. dlcert sees the exceptions of the
    library unchanged; no method here catches them.
    """

    library: ModuleType
    # The type that has __dlpack_c_exchange_api__; None: the library publishes no table.
    array_type: type | None = None
    # The parameters of the library's functions, without the source. A call with a value for another
    # parameter is not formable. If the value is None, the call leaves the parameter out.
    export_arguments: frozenset[str] = frozenset({"stream", "max_version", "dl_device", "copy"})
    import_arguments: frozenset[str] = frozenset({"device", "copy"})
    # The names of the dtypes that the generic can() claims.
    dtypes: frozenset[str] = frozenset(
        {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"})

    runtime: str | None = None  # the runtime rules that the library follows, such as "torch-2.4"
    vendor: str | None = None  # "cuda" or "rocm": built for devices of this vendor only
    faithful_errors = True  # users see the same exceptions
    thread_safe = False  # several threads may call methods at the same time
    knows_read_only = False  # the library has read-only tensors
    passes_codes_through = False  # the library passes on type codes that it does not know
    # What the library raises if a call fails that was queued until its initialization.
    deferred_error: type[BaseException] | None = None

    @property
    def name(self) -> str:
        """The library's name in reports."""
        return self.library.__name__

    @property
    def version(self) -> str:
        """The library's own version."""
        return self.library.__version__  # type: ignore[no-any-return]

    @property
    def array_api(self) -> str | None:
        """The version of the array API standard that the library claims; None: it claims none."""
        return getattr(self.library, "__array_api_version__", None)

    @property
    def from_dlpack(self) -> Callable[..., Any] | None:
        """The library's function from_dlpack; None: it does not have one."""
        return getattr(self.library, "from_dlpack", None)

    # ---- tensors ----

    def can(self, spec: Spec) -> bool:
        """Whether the library can make such a tensor. dlcert asks it for such tensors only."""
        return spec.plain and not spec.read_only and spec.dtype.name in self.dtypes

    def create(self, spec: Spec, data: bytes) -> Any:
        """A new tensor with the logical bytes `data`."""
        return self.from_dlpack(Strided(spec, data))  # type: ignore[misc]

    def describe(self, tensor: Any) -> Description:
        """The properties of `tensor`. Without __dlpack_device__, the tensor is on the host."""
        if self.dlpack_device is None:
            return Description(self.dtype_of(tensor), tuple(tensor.shape))
        device: Any = tuple(int(value) for value in tensor.__dlpack_device__())
        return Description(self.dtype_of(tensor), tuple(tensor.shape), device)

    def read(self, tensor: Any) -> bytes:
        """The logical bytes of `tensor`."""
        if self.export_capsule is None:
            return _dlcert.logical_bytes(self.to_dlpack(tensor))
        newest = {"max_version": (1, 3)} if "max_version" in self.export_arguments else {}
        return _dlcert.logical_bytes(tensor.__dlpack__(**newest))

    # ---- exchange ----

    def dlpack_device(self, tensor: Any) -> tuple[int, int]:
        """The device of `tensor`, as its __dlpack_device__() returns it."""
        return tensor.__dlpack_device__()  # type: ignore[no-any-return]

    def export_capsule(self, tensor: Any, **arguments: Any) -> Any:
        """A capsule of `tensor`."""
        if not arguments.keys() <= self.export_arguments:
            arguments = self.formable(arguments, self.export_arguments)
        return tensor.__dlpack__(**arguments)

    def device(self, device: tuple[int, int]) -> Any:
        """The library's own object for a DLPack device, for from_dlpack."""
        raise NotFormable

    def import_from(self, source: Any, **arguments: Any) -> Any:
        """A tensor, imported from an object with __dlpack__ and __dlpack_device__."""
        if type(arguments.get("device")) is tuple:
            arguments["device"] = self.device(arguments["device"])
        if not arguments.keys() <= self.import_arguments:
            arguments = self.formable(arguments, self.import_arguments)
        return self.from_dlpack(source, **arguments)  # type: ignore[misc]

    def exchange_table(self) -> int:
        """The address of the DLPackExchangeAPI that `array_type` publishes."""
        array_type: Any = self.array_type
        return _dlcert.capsule_pointer(array_type.__dlpack_c_exchange_api__, "dlpack_exchange_api")

    # ---- devices, runtime and telemetry: define the methods that the library supports ----

    def named_device(self, device: tuple[int, int]) -> Any:
        """The library's own object for a DLPack device; index -1: without an index."""
        return self.device(device)

    def with_guard(self, guard: ContextManager[Any], body: Callable[[], None]) -> None:
        """Calls `body` inside `guard`, a context manager."""
        with guard:
            body()

    # ---- source text for programs that show a case without dlcert ----

    def source_imports(self) -> str:
        """Lines that import the library and its from_dlpack."""
        name = self.library.__name__
        if self.from_dlpack is None:
            return f"import {name}"
        return f"import {name}\nfrom {name} import from_dlpack"

    def source_create(self, spec: Spec, data: bytes) -> str:
        """An expression that makes the same tensor as create(), without dlcert."""
        raise NotFormable

    def source_read(self) -> str:
        """An expression for the logical bytes of a tensor that is named x."""
        raise NotFormable

    def source_device(self, device: tuple[int, int]) -> str:
        """An expression for the result of device()."""
        return repr(self.device(device))

    def source_run_with_stream(self, device: tuple[int, int], stream: str) -> str:
        """An expression for what run_with_stream() returns. `stream` is an expression of the native
        handle: a variable's name, "0" for the legacy default stream, "2" for the per-thread one."""
        raise NotFormable

    def source_write(self, data: bytes) -> str:
        """An expression that does what write() does with a tensor that is named x."""
        raise NotFormable

    # ---- for subclasses ----

    @staticmethod
    def formable(arguments: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
        """`arguments` without unknown ones that are None. Raises NotFormable for the others."""
        if any(value is not None for name, value in arguments.items() if name not in known):
            raise NotFormable
        return {name: value for name, value in arguments.items() if name in known}

    @staticmethod
    def named_dtype(name: str) -> Dtype:
        """The dtype with this usual name: "float32", "torch.float8_e5m2", "bool"."""
        small = name.rpartition(".")[2]
        if small in _SMALL_CODES:
            return Dtype(_SMALL_CODES[small], int(small[5]), 1)
        found = _NAME.fullmatch(name)
        if found is None:
            raise TypeError(f"dtype '{name}': unknown name")
        kind, bits = found.groups()
        return Dtype(_CODES[kind], int(bits) if bits else 8, 1)

    @classmethod
    def dtype_of(cls, tensor: Any) -> Dtype:
        """The dtype of `tensor`, from the name that str(tensor.dtype) returns."""
        return cls.named_dtype(str(tensor.dtype))
