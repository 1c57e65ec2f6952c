# SPDX-License-Identifier: Apache-2.0
"""Decides which side caused an error: the adapter, or the library that it calls.

An extension module has no frames, so that its errors and the adapter's own both end in a line of
the adapter. The bytecode of the frame tells which expression of that line raised; the frame's
variables tell whose function it called. No function is called again.
"""

from __future__ import annotations

import ast
import builtins
import dis
import enum
import functools
import inspect
import itertools
import linecache
import os
import types
from typing import Any, Iterator, NamedTuple

import _dlcert
from dlcert.adapter import Adapter, Description
from dlcert.spec import Dtype, Spec

_PACKAGE = os.path.dirname(__file__)
_HOST = os.path.join(_PACKAGE, "_host.py")  # its objects are called by libraries
_UNKNOWN = object()
# The module of classes and functions of extension modules that name none, or "builtins".
_NAMELESS = "<an extension module>"
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
# No call of the protocol: libraries refuse them for what an adapter asks without need.
_PREPARING = {"create", "describe", "read", "write", "alias", "live_allocations", "fail_allocation"}
# Their first argument is what the library has given.
_OF_LIBRARY = {"describe", "read", "write", "alias", "dlpack_device", "export_capsule", "to_dlpack",
               "describe_gpu_object", "with_guard"}
# A wrong call of a right library raises one of these.
_MISUSE = (TypeError, AttributeError)
_MISUSE_OF_CREATE = (*_MISUSE, ValueError, LookupError, NotImplementedError)

_adapters: list[str] = []  # the names of their modules

# Most errors of a run are alike, and an answer takes longer than the call that raised.
_known: dict[tuple[Any, ...], Side] = {}
_MOST_KNOWN = 4096


class Side(enum.Enum):
    ADAPTER = "adapter"
    LIBRARY = "library"
    UNKNOWN = "unknown"


class Place(NamedTuple):
    """An entry of a traceback."""

    frame: types.FrameType
    instruction: int
    line: int

    @property
    def file(self) -> str:
        return self.frame.f_code.co_filename

    @property
    def module(self) -> str:
        name = self.frame.f_globals.get("__name__")
        return name if isinstance(name, str) else ""

    @property
    def is_of_package(self) -> bool:
        return os.path.dirname(self.file) == _PACKAGE

    @property
    def is_of_adapter(self) -> bool:
        """Returns whether it is an adapter's code, or that of a helper."""
        return any(self.module == own or self.module.startswith(f"{own}._") for own in _adapters)


def is_adapter(module: str) -> None:
    """From now on, the code of that module and of its helpers is an adapter's."""
    _adapters.append(module)


def places_of(error: BaseException) -> list[Place]:
    """The entries of its traceback, the innermost last."""
    places, entry = [], error.__traceback__
    while entry is not None:
        places.append(Place(entry.tb_frame, entry.tb_lasti, entry.tb_lineno))
        entry = entry.tb_next
    return places


def side_of(adapter: Adapter | None, method: str, error: BaseException) -> Side:
    """Which side caused an error that a method of the adapter has raised."""
    if method in ("can", "can_import"):
        return Side.ADAPTER
    if isinstance(error, BufferError) and method not in _PREPARING:
        return Side.LIBRARY  # the refusal of the protocol, and by far the most frequent error
    places = places_of(error)
    own = [place for place in places
           if place.file != _HOST and (place.is_of_package or place.is_of_adapter)]
    inner = bool(own) and own[-1] is places[-1]
    if not own:
        # The method is the library's own function, or cannot be called as it must be.
        mine = isinstance(getattr(type(adapter), method, None), types.FunctionType)
        return Side.ADAPTER if mine and isinstance(error, TypeError) else Side.LIBRARY
    if inner and _is_misspelt(error):
        return Side.ADAPTER
    frame = places[0].frame
    if method in _OF_LIBRARY and frame.f_locals.get(_first_of(frame), _UNKNOWN) is None:
        return Side.LIBRARY  # which has given None for a tensor
    key = _key(adapter, method, type(error), own, places)
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = _Judge(adapter, method, own, places).side_of(error)
    side = _known[key]
    mistaken = _MISUSE_OF_CREATE if method == "create" else _MISUSE
    if side is Side.LIBRARY and method in _PREPARING and isinstance(error, mistaken) and \
            places[0].is_of_adapter:
        return Side.UNKNOWN
    return side


def _key(adapter: Adapter | None, method: str, error: type, own: list[Place],
         places: list[Place]) -> tuple[Any, ...]:
    """What an answer depends on: the lines that the error passed, and the origins of the values
    that the outermost frame and the last one of the adapter hold."""
    lines = [(place.frame.f_code, place.instruction) for place in places]
    frames = dict.fromkeys((places[0].frame, own[-1].frame))
    values = [value for frame in frames for value in frame.f_locals.values()]
    return (type(adapter), method, error, *lines, *map(_origin, values))


def _origin(value: Any) -> Any:
    """Its class; of what names the module that it comes from, more."""
    kind = type(value)
    if kind in (types.MethodType, types.BuiltinFunctionType):
        return kind, value.__name__, _origin(value.__self__)
    if kind is types.FunctionType:
        return value.__code__, value.__module__
    return (kind, id(value)) if issubclass(kind, (type, types.ModuleType)) else kind


def returns_nothing(function: Any) -> bool:
    """Returns whether it is a Python function that can only return None."""
    code = getattr(function, "__code__", None)
    node = _function_at(code) if isinstance(code, types.CodeType) else None
    return node is not None and not any(
        isinstance(one, ast.Return) and one.value is not None for one in ast.walk(node))


def _is_misspelt(error: BaseException) -> bool:
    """Returns whether a name is missing that no library has to have."""
    if isinstance(error, AttributeError):
        return isinstance(error.obj, (Adapter, Spec, Dtype, Description, types.ModuleType))
    return isinstance(error, (NameError, SyntaxError))


class _Judge:
    """Finds out whose function the adapter's last line has called."""

    def __init__(self, adapter: Adapter | None, method: str, own: list[Place],
                 places: list[Place]) -> None:
        self._method = method
        self._last, self._inner = own[-1], own[-1] is places[-1]
        self._passed = _passed(method, places[0].frame) if own[-1] is places[0] else set()
        self._behind = places[places.index(own[-1]) + 1:]
        self._packages = _packages_of(adapter, places[0].frame)
        # The base class converts only what the library gave.
        self._of_base_class = not any(place.is_of_adapter for place in own)

    def side_of(self, error: BaseException) -> Side:
        if self._is_of_library(type(error)):
            return Side.LIBRARY
        if any(self._is_name_of_library(place.module) or place.file == _HOST
               for place in self._behind):
            return Side.LIBRARY
        if self._raises():  # the adapter speaks for the library
            refuses = self._method == "write" and isinstance(error, BufferError)
            silent = self._last.is_of_package or (self._method in _PREPARING and not refuses)
            return Side.UNKNOWN if silent else Side.LIBRARY
        # Where a version of Python does not tell the expression, those of the line must agree.
        nodes = _nodes_at(self._last.frame.f_code, self._last.instruction, self._last.line)
        sides = {self._side_of_node(node) for node in nodes}
        return sides.pop() if len(sides) == 1 else Side.UNKNOWN

    def _side_of_node(self, node: ast.AST) -> Side:
        operands = list(_operands(node))
        if any(self._is_library_path(operand) for operand in operands[:1]):
            return Side.LIBRARY
        if isinstance(node, ast.Call):
            called = self._value(node.func)
            if _getattr_safe(called, "__self__") is _dlcert:  # it looks at what the library gave
                return Side.LIBRARY
            if self._inner and _module_of(called).partition(".")[0] == "dlcert":
                return Side.ADAPTER
        if all(map(self._is_own_value, operands)):
            return Side.ADAPTER
        return Side.LIBRARY if self._of_base_class else Side.UNKNOWN

    def _raises(self) -> bool:
        """Returns whether a `raise` or an `assert` of the adapter is what raised."""
        code = self._last.frame.f_code.co_code
        return code[self._last.instruction] == dis.opmap["RAISE_VARARGS"]

    # ---- values: names, attributes and constants; nothing is called ----

    def _value(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            frame = self._last.frame
            for names in (frame.f_locals, frame.f_globals, vars(builtins)):
                if node.id in names:
                    return names[node.id]
        if isinstance(node, ast.Attribute):
            of = self._value(node.value)
            if isinstance(of, (types.ModuleType, type, Adapter, Spec, Dtype)):
                return getattr(of, node.attr, _UNKNOWN)
        return _UNKNOWN

    def _is_library_path(self, node: ast.AST) -> bool:
        """Returns whether it is an object of the library, or begins with one, such as
        `array.T.__dlpack__`."""
        value = self._value(node)
        if value is not _UNKNOWN and not isinstance(value, types.ModuleType):
            return self._is_of_library(value)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            return self._is_library_path(node.value)
        return isinstance(node, ast.Call) and self._is_library_path(node.func)

    def _is_own_value(self, node: ast.AST) -> bool:
        """Returns whether no library can have given the value: it is made of values that dlcert
        passes and that the adapter's file defines."""
        frame = self._last.frame
        if isinstance(node, (ast.Constant, ast.Lambda)):
            return True
        if isinstance(node, ast.Name):
            if node.id not in frame.f_locals:
                return not self._is_of_library(self._value(node))
            return node.id in self._passed and not self._is_of_library(self._value(node))
        if isinstance(node, ast.Attribute):
            of = self._value(node.value)
            kept = isinstance(of, Adapter) and node.attr in vars(of)
            return not kept and self._is_own_value(node.value)
        if isinstance(node, ast.Call):
            return self._is_own_function(node.func) and all(map(self._is_own_value, node.args))
        if isinstance(node, (ast.Subscript, ast.BinOp, ast.Tuple, ast.List, ast.JoinedStr,
                             ast.FormattedValue, ast.UnaryOp, ast.Compare, ast.Dict, ast.Set,
                             ast.Starred)):
            return all(map(self._is_own_value, _operands(node)))
        return False

    def _is_own_function(self, node: ast.AST) -> bool:
        """Returns whether it calls nothing of a library: it is a builtin, or a method of a dict that
        dlcert passes."""
        if isinstance(node, ast.Attribute):
            of = self._value(node.value)
            if of is not _UNKNOWN and not isinstance(of, (Adapter, types.ModuleType)):
                return self._is_own_value(node.value)
        return _module_of(self._value(node)).partition(".")[0] in ("builtins", "dlcert")

    def _is_of_library(self, value: Any) -> bool:
        return value is not _UNKNOWN and any(map(self._is_name_of_library, _modules_of(value)))

    def _is_name_of_library(self, module: Any) -> bool:
        return isinstance(module, str) and \
            (module == _NAMELESS or module.partition(".")[0] in self._packages)


def _first_of(frame: types.FrameType) -> str:
    """The name of the parameter behind `self`; empty: there is none."""
    return "".join(frame.f_code.co_varnames[1:2])


def _passed(method: str, frame: types.FrameType) -> set[str]:
    """The names of the parameters to which dlcert passes values of its own."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + \
        sum(code.co_flags & flag != 0 for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS))
    names = code.co_varnames[:count]
    return set(names) - set(names[1:2] if method in _OF_LIBRARY else ())


def _packages_of(adapter: Adapter | None, outermost: types.FrameType) -> set[str]:
    """The names of the packages that the library consists of, as far as they can be seen: where its
    module, its functions and its tensors come from."""
    seen = [getattr(adapter, name, None) for name in ("library", "array_type", "from_dlpack")]
    code = outermost.f_code
    seen += [outermost.f_locals.get(name) for name in code.co_varnames[1:code.co_argcount]]
    names = {adapter.library.__name__} if adapter is not None else set()
    for value in seen:
        names.update(_modules_of(value))
    packages = {name.partition(".")[0] for name in names}
    return packages - {"builtins", "dlcert", "_dlcert", "__main__"} - set(_adapters)


def _modules_of(value: Any) -> Iterator[str]:
    """The names of the modules in which a value, its class and the owner of a method stand."""
    owner = _getattr_safe(value, "__self__")
    kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
    modules = [_getattr_safe(value, "__module__"), *map(_module_of_class, kinds)]
    if isinstance(value, types.BuiltinFunctionType) and owner is None and modules[0] is None:
        modules.append(_NAMELESS)  # a static method
    if owner is not None and not isinstance(value, type):
        modules += [owner.__name__] if isinstance(owner, types.ModuleType) else _modules_of(owner)
    return (one for one in modules if isinstance(one, str))


def _module_of_class(kind: type) -> Any:
    module = _getattr_safe(kind, "__module__")
    own = vars(builtins).get(kind.__name__) is kind
    nameless = module == "builtins" and kind.__flags__ & _HEAP_TYPE and not own
    return _NAMELESS if nameless else module


def _module_of(value: Any) -> str:
    module = _getattr_safe(value, "__module__")
    owner = _getattr_safe(value, "__self__")
    if module is None and owner is not None:
        module = _module_of(type(owner))
    return module if isinstance(module, str) else ""


def _getattr_safe(value: Any, name: str) -> Any:
    """The attribute; None where a library's object has none, or answers with an error."""
    try:
        return getattr(value, name, None)
    except BaseException:
        return None


# ---- expressions ----


def _operands(node: ast.AST) -> Iterator[ast.AST]:
    """Returns the operands of an expression; of a call, first the function."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop)):
            yield child.value if isinstance(child, ast.keyword) else child


@functools.lru_cache(maxsize=64)
def _tree(file: str) -> ast.AST:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


_KINDS = {"CALL": ast.Call, "LOAD_ATTR": ast.Attribute, "LOAD_METHOD": ast.Attribute,
          "BINARY_SUBSCR": ast.Subscript}


@functools.lru_cache(maxsize=1024)
def _nodes_at(code: types.CodeType, instruction: int, line: int) -> tuple[ast.AST, ...]:
    """The expression that an instruction belongs to. CPython 3.10 does not tell it: then all of its
    kind in the line."""
    nodes = [node for node in ast.walk(_tree(code.co_filename)) if isinstance(node, ast.expr)]
    if hasattr(code, "co_positions"):
        place = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
        exact = [node for node in nodes if place ==
                 (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)]
        if exact:
            return tuple(exact)
    name = dis.opname[code.co_code[instruction]]
    kind = next((kind for begin, kind in _KINDS.items() if name.startswith(begin)), ast.expr)
    return tuple(node for node in nodes
                 if isinstance(node, kind) and node.lineno <= line <= (node.end_lineno or 0))


def _function_at(code: types.CodeType) -> ast.AST | None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return next((node for node in ast.walk(_tree(code.co_filename)) if isinstance(node, kinds)
                 and node.name == code.co_name and code.co_firstlineno in
                 (node.lineno, *(one.lineno for one in node.decorator_list))), None)
