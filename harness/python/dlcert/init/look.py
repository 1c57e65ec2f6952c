# SPDX-License-Identifier: Apache-2.0
"""Finds out which parts of DLPack a library has: tries the library on small NumPy arrays."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import pkgutil
import sys
import warnings
from types import ModuleType
from typing import Any, Callable, Iterator

try:
    import numpy
except ImportError:
    numpy = None

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128")
MAKERS = ("asarray", "from_numpy", "fromarray", "array", "tensor", "frombuffer", "from_dlpack", "Tensor", "Array",
          "NDArray", "ndarray")
SHAPES = ((), (3,), (2, 3), (2, 3, 1), (2, 3, 3), (2, 3, 4), (2, 3, 5), (2, 3, 3, 2), (1, 3, 2, 2), (0, 3))
LIKELY = (("float32", (2, 3)), ("uint8", (2, 3, 3)), ("float32", (3,)), ("uint8", (3,)), ("uint8", (2, 3)),
          ("complex64", (3,)), ("float32", ()), ("float32", (1, 3, 2, 2)))
MOST_MODULES = 200
MOST_MAKERS = 30
SHOWN = 5
EXPORT_ARGUMENTS = ("stream", "max_version", "dl_device", "copy")
IMPORT_ARGUMENTS = ("device", "copy")


def _public(module: ModuleType) -> list[tuple[str, Any]]:
    """The public names of a module that have a value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [(name, getattr(module, name, None)) for name in dir(module) if not name.startswith("_")]
    return [(name, one) for name, one in found if one is not None]


class Shown:
    """An object that exports a given capsule."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Look:
    """One library. `tries` gets the text of each call, and returns whether to make the call."""

    def __init__(self, library: ModuleType, tries: Callable[[str], bool]) -> None:
        self.library = library
        self.tries = tries
        self.places = dict(self._places())
        self.to_dlpack = next((name for name in self._functions("to_dlpack")), None)
        self.arguments: list[str] = []

    def found(self) -> dict[str, Any]:
        """Names and claims, for text.adapter()."""
        if numpy is None:
            return {"problem": "NumPy cannot be imported, but dlcert init needs it to try the library"}
        maker, imports = self._maker(), self._importer()
        made = self._claims(lambda *wanted: self._made(maker, *wanted)) if maker else {}
        taken = self._claims(lambda *wanted: self._imported(*imports, *wanted)) if imports else {}
        makes_by_import = not made and bool(taken) and not imports[1]
        claims = taken if makes_by_import else made
        sample = None
        if claims:
            dtype, shapes = next(iter(claims.items()))
            sample = self._imported(*imports, dtype, tuple(shapes[-1])) if makes_by_import else \
                self._made(maker, dtype, tuple(shapes[-1]))
        return {
            "tensors": self._tensor_types(),
            "makes": maker or (imports[0] if makes_by_import else ""),
            "makes_by_import": makes_by_import,
            "exports": self._export_of(sample),
            "export_arguments": self._export_arguments(sample),
            "imports": imports[0] if imports else "",
            "takes_capsules": bool(imports) and imports[1],
            "import_arguments": self._import_arguments(*imports) if imports else [],
            "claims": claims,
            "import_claims": taken,
            "dtype": self._dtype_expression(sample),
            "has_shape": sample is not None and hasattr(sample, "shape"),
            "version": self._version(),
        }

    # ---- names ----

    def _modules(self) -> Iterator[tuple[str, ModuleType]]:
        """The module and its submodules, those with the fewest dots first."""
        name = self.library.__name__
        for info in pkgutil.iter_modules(getattr(self.library, "__path__", [])):
            if info.name in ("dlpack", "utils") and not hasattr(self.library, info.name):
                self._call(f"import {name}.{info.name}", lambda: importlib.import_module(f"{name}.{info.name}"))
        queue, seen = [(name, self.library)], {id(self.library)}
        while queue and len(seen) < MOST_MODULES:
            path, module = queue.pop(0)
            yield path, module
            for one, value in _public(module):
                is_part = inspect.ismodule(value) and (value.__name__.split(".")[0] == name.split(".")[0]
                                                       or value.__name__ not in sys.modules)
                if is_part and id(value) not in seen:
                    seen.add(id(value))
                    queue.append((f"{path}.{one}", value))

    def _places(self) -> Iterator[tuple[str, Any]]:
        """All callables of the library, each once, under the name with the fewest dots."""
        seen: set[int] = set()
        for module, value in self._modules():
            for name, one in _public(value):
                if callable(one) and id(one) not in seen:
                    seen.add(id(one))
                    yield f"{module}.{name}", one

    def _functions(self, name: str) -> Iterator[str]:
        """Functions with that name: first those of modules, then those of classes."""
        for path in self.places:
            if path.rpartition(".")[2] == name:
                yield path
        for path, one in self.places.items():
            if inspect.isclass(one) and callable(getattr(one, name, None)) and name != "to_dlpack":
                yield f"{path}.{name}"

    def _value(self, path: str) -> Any:
        if path in self.places:
            return self.places[path]
        owner, _, name = path.rpartition(".")
        return getattr(self.places[owner], name)

    def _tensor_types(self) -> str:
        names = sorted((name for name, one in self.places.items() if self._is_tensor_type(one)), key=len)
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        return ", ".join(names[:SHOWN]) + more

    @staticmethod
    def _is_tensor_type(one: Any) -> bool:
        return inspect.isclass(one) and (hasattr(one, "__dlpack__") or hasattr(one, "to_dlpack"))

    # ---- tensors ----

    def _call(self, what: str, call: Callable[[], Any]) -> Any:
        """The result of the call; None if the call raises, or ended an earlier process."""
        if not self.tries(what):
            return None
        try:
            return call()
        except Exception:
            return None

    @staticmethod
    def _array(dtype: str, shape: tuple[int, ...]) -> Any:
        size = int(numpy.prod(shape, dtype=int))
        return (numpy.arange(1, size + 1) % 100).astype(dtype).reshape(shape)

    def _exported(self, tensor: Any) -> Any:
        """NumPy's array of the exported tensor; None if there is no export."""
        def read() -> Any:
            if hasattr(tensor, "__dlpack__") and hasattr(tensor, "__dlpack_device__"):
                return numpy.from_dlpack(tensor).copy()
            return numpy.from_dlpack(Shown(self._capsule(tensor))).copy()

        return self._call(f"the export of a {type(tensor).__name__}", read)

    def _capsule(self, tensor: Any) -> Any:
        for name in ("to_dlpack", "__dlpack__"):
            if hasattr(tensor, name):
                return getattr(tensor, name)()
        return self._value(self.to_dlpack)(tensor)

    def _made(self, maker: str, dtype: str, shape: tuple[int, ...]) -> Any:
        """A tensor with these values; None if the maker returns none, or other values."""
        array = self._array(dtype, shape)
        tensor = self._call(f"{maker}({dtype} {shape})", lambda: self._value(maker)(array))
        if tensor is None or (isinstance(tensor, numpy.ndarray) and self.library is not numpy):
            return None
        back = self._exported(tensor)
        same = back is not None and back.dtype == array.dtype and back.shape == array.shape
        return tensor if same and (back == array).all() else None

    def _maker(self) -> str | None:
        """The function or type that makes tensors of the most dtypes and shapes, found by likely names."""
        candidates = [name for wanted in MAKERS for name in self._functions(wanted)]
        types = [path for path, one in self.places.items() if self._is_tensor_type(one)]
        candidates += sorted(types, key=lambda path: "tensor" not in path.lower())
        best, most = None, 0
        for name in list(dict.fromkeys(candidates))[:MOST_MAKERS]:
            if any(self._made(name, dtype, shape) is not None for dtype, shape in LIKELY):
                size = sum(map(len, self._claims(lambda *wanted: self._made(name, *wanted)).values()))
                best, most = (name, size) if size > most else (best, most)
        return best

    def _imported(self, importer: str, takes_capsules: bool, dtype: str, shape: tuple[int, ...]) -> Any:
        """The imported tensor with these values; None if the import is refused, or has other values."""
        array = self._array(dtype, shape)
        tensor = self._call(f"{importer}({dtype} {shape})",
                            lambda: self._value(importer)(array.__dlpack__() if takes_capsules else array))
        back = None if tensor is None else self._exported(tensor)
        same = back is not None and back.dtype == array.dtype and back.shape == array.shape
        return tensor if same and (back == array).all() else None

    @staticmethod
    def _claims(make: Callable[[str, tuple[int, ...]], Any]) -> dict[str, list[list[int]]]:
        """For each dtype, the shapes of SHAPES that come back unchanged."""
        claims = {}
        for dtype in DTYPES:
            shapes = [list(shape) for shape in SHAPES if make(dtype, shape) is not None]
            if shapes:
                claims[dtype] = shapes
        return claims

    # ---- functions ----

    def _export_of(self, sample: Any) -> str:
        if sample is not None and hasattr(sample, "__dlpack__"):
            return "x.__dlpack__()"
        if sample is not None and hasattr(sample, "to_dlpack"):
            return "x.to_dlpack()"
        if self.to_dlpack:
            return f"{self.to_dlpack}(x)"
        has_method = any(inspect.isclass(one) and hasattr(one, "__dlpack__") for one in self.places.values())
        return "x.__dlpack__()" if has_method else ""

    def _export_arguments(self, sample: Any) -> list[str]:
        if sample is None or not hasattr(sample, "__dlpack__"):
            known = [one.__dlpack__ for one in self.places.values() if inspect.isclass(one)
                     and hasattr(one, "__dlpack__")]
            return self._written_arguments(known[0], EXPORT_ARGUMENTS) if known else []
        return [name for name in EXPORT_ARGUMENTS
                if self._call(f"x.__dlpack__({name}=None)", lambda: sample.__dlpack__(**{name: None})) is not None]

    @staticmethod
    def _written_arguments(function: Any, names: tuple[str, ...]) -> list[str]:
        """The names that appear in the signature or in the documentation."""
        try:
            known = str(inspect.signature(function))
        except (TypeError, ValueError):
            known = function.__doc__ or ""
        return [name for name in names if name in known]

    def _importer(self) -> tuple[str, bool] | None:
        """The name of from_dlpack, and whether it accepts bare capsules only."""
        array = self._array("float32", (2, 3))
        others = (array, self._array("uint8", (2, 3, 3)), self._array("uint8", (2, 3)))
        for name in self._functions("from_dlpack"):
            for one in others:
                if self._call(f"{name}(object)", lambda: self._value(name)(one)) is not None:
                    return name, False
            for one in others:
                if self._call(f"{name}(capsule)", lambda: self._value(name)(one.__dlpack__())) is not None:
                    return name, True
        return next(((name, False) for name in self._functions("from_dlpack")), None)

    def _import_arguments(self, importer: str, takes_capsules: bool) -> list[str]:
        if takes_capsules:
            return []
        array = self._array("float32", (2, 3))
        return [name for name in IMPORT_ARGUMENTS
                if self._call(f"{importer}(object, {name}=None)",
                              lambda: self._value(importer)(array, **{name: None})) is not None]

    def _version(self) -> str:
        """An expression for the version; empty if the library has __version__."""
        if hasattr(self.library, "__version__"):
            return ""
        names = importlib.metadata.packages_distributions().get(self.library.__name__.partition(".")[0], [])
        return f'importlib.metadata.version("{names[0]}")' if names else '"unknown"'

    @staticmethod
    def _dtype_expression(sample: Any) -> str:
        """An expression for the name of a tensor's dtype; empty if there is none."""
        dtype = getattr(sample, "dtype", None)
        if dtype is None:
            return ""
        for expression, name in (("str(tensor.dtype)", str(dtype)),
                                 ("tensor.dtype.__name__", getattr(dtype, "__name__", ""))):
            if name.rpartition(".")[2] in DTYPES:
                return expression
        return ""
