# SPDX-License-Identifier: Apache-2.0
"""The text of the new adapter: what differs from dlcert.Adapter, and what the user must fill in."""

from __future__ import annotations

from typing import Any

WIDTH = 100


def adapter(module: str, found: dict[str, Any]) -> list[str]:
    """The lines of the file."""
    body = [*_facts(module, found), *_imports(found), *_claims(found), *_create(found), *_describe(found),
            *_exports(found), *_sources(found)]
    while body and not body[-1]:
        body.pop()
    imports = ["dlcert", module]
    imports += [name for name in ("importlib.metadata", "numpy") if any(f"{name}." in line for line in body)]
    head = [f'"""Adapter for {module}, written by `dlcert init python:{module}`. It claims what worked then."""', "",
            *(f"import {name}" for name in sorted(set(imports))), "", ""]
    return [*head, f"class {_class_name(module)}(dlcert.Adapter):", *body]


def _class_name(module: str) -> str:
    name = "".join(part.capitalize() for part in module.replace(".", "_").split("_"))
    return name if name.isidentifier() else "Library"


def _wrapped(first: str, parts: list[str], joint: str, last: str) -> list[str]:
    """Lines of `first`, the parts with a joint between them, and `last`."""
    lines, indent = [first], " " * len(first)
    for at, part in enumerate(parts):
        is_last = at == len(parts) - 1
        piece = part + (last if is_last else joint)
        if len(lines[-1]) + len(piece.rstrip()) > WIDTH and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += piece
    return lines


def _set(name: str, values: list[str]) -> list[str]:
    if not values:
        return [f"    {name} = frozenset()"]
    return _wrapped(f"    {name} = frozenset({{", [f'"{value}"' for value in values], ", ", "})")


def _facts(module: str, found: dict[str, Any]) -> list[str]:
    lines = [f"    library = {module}"]
    if found["claims"]:
        lines += _set("dtypes", list(_alike(found["claims"])))
    if "__dlpack__" in found["exports"]:
        lines += _set("export_arguments", found["export_arguments"])
    if found["import_claims"] and not found["takes_capsules"]:
        lines += _set("import_arguments", found["import_arguments"])
    if found["version"]:
        lines.append(f"    version = {found['version']}")
    return [*lines, ""]


def _imports(found: dict[str, Any]) -> list[str]:
    if not found["imports"]:
        return ["    import_from = None", ""]
    if not found["import_claims"]:
        return [f"    # TODO: write import_from() with {found['imports']}; it accepted none of dlcert's arrays",
                "    import_from = None", ""]
    if found["takes_capsules"]:
        return ["    import_from = None", "",
                "    def import_capsule(self, capsule):",
                f"        return {found['imports']}(capsule)", ""]
    return ["    @property", "    def from_dlpack(self):", f"        return {found['imports']}", ""]


def _alike(claims: dict[str, list[list[int]]]) -> dict[str, list[list[int]]]:
    """The dtypes that have the most common set of shapes."""
    shapes = max(claims.values(), key=lambda one: (list(claims.values()).count(one), len(one)))
    return {dtype: one for dtype, one in claims.items() if all(shape in one for shape in shapes)}


def _condition(claims: dict[str, list[list[int]]]) -> list[str]:
    """The conditions of `can` on a shape."""
    alike = _alike(claims)
    common = [shape for shape in next(iter(alike.values())) if all(shape in shapes for shapes in alike.values())]
    ranks = sorted({len(shape) for shape in common if 0 not in shape})
    channels = sorted({shape[2] for shape in common if len(shape) == 3})
    conditions = ["spec.compact"]
    if ranks == list(range(5)):
        conditions.append("len(spec.shape) <= 4")
    else:
        conditions.append(f"len(spec.shape) in {tuple(ranks)}" if len(ranks) > 1 else f"len(spec.shape) == {ranks[0]}")
    if 0 < len(channels) < 4:
        conditions.append(f"(len(spec.shape) != 3 or spec.shape[2] in {set(channels)})")
    if [0, 3] not in common:
        conditions.append("0 not in spec.shape")
    return conditions


def _claims(found: dict[str, Any]) -> list[str]:
    lines = ["    def can(self, spec):"]
    if not found["claims"]:
        return [*lines,
                "        # TODO: return whether the library can make this tensor, for example",
                '        #     spec.plain and spec.compact and not spec.read_only and spec.dtype.name == "uint8"',
                '        raise NotImplementedError("fill in can()")', ""]
    lines += _returned("super().can(spec)", _condition(found["claims"]))
    return [*lines, "", *_import_claims(found)]


def _returned(first: str, conditions: list[str]) -> list[str]:
    return _wrapped("        return (", [first, *(f"and {one}" for one in conditions)], " ", ")")


def _import_claims(found: dict[str, Any]) -> list[str]:
    """can_import(), if the library imports other tensors than it makes."""
    made, taken = found["claims"], found["import_claims"]
    if not taken or _alike(made) == _alike(taken):
        return []
    names = ", ".join(f'"{name}"' for name in _alike(taken))
    return ["    def can_import(self, spec):",
            *_returned("spec.plain and not spec.read_only", [f"spec.dtype.name in {{{names}}}", *_condition(taken)]), ""]


def _create(found: dict[str, Any]) -> list[str]:
    if found["makes_by_import"]:
        return []
    lines = ["    def create(self, spec, data):"]
    if not found["makes"]:
        return [*lines,
                f"        # TODO: return a tensor of the library ({found['tensors'] or 'no type was found'}) with "
                "spec.shape and the row-major elements `data`",
                '        raise NotImplementedError("fill in create()")', ""]
    return [*lines,
            "        array = numpy.frombuffer(bytearray(data), spec.dtype.name).reshape(spec.shape)",
            f"        return {found['makes']}(array)", ""]


def _describe(found: dict[str, Any]) -> list[str]:
    if not found["makes"] and not found["has_shape"]:
        return ["    def describe(self, tensor):",
                "        # TODO: return the dtype and shape that the library reports, for example",
                "        #     dlcert.Description(self.named_dtype(\"uint8\"), (tensor.height, tensor.width))",
                '        raise NotImplementedError("fill in describe()")', ""]
    if found["dtype"] == "str(tensor.dtype)" and found["has_shape"]:
        return []
    if found["dtype"] and found["has_shape"]:
        return ["    @classmethod", "    def dtype_of(cls, tensor):",
                f"        return cls.named_dtype({found['dtype']})", ""]
    return ["    def describe(self, tensor):",
            "        array = numpy.from_dlpack(tensor)  # better: ask the library itself",
            "        return dlcert.Description(self.named_dtype(array.dtype.name), array.shape)", ""]


def _exports(found: dict[str, Any]) -> list[str]:
    if "__dlpack__" in found["exports"]:
        return []
    nothing = ["    export_capsule = None", "    dlpack_device = None", ""]
    if not found["exports"]:
        return nothing
    call = found["exports"].replace("x.", "tensor.", 1) if found["exports"].startswith("x.") else \
        found["exports"].replace("(x)", "(tensor)")
    return ["    # The library has no __dlpack__; it only returns bare capsules.", *nothing,
            "    def to_dlpack(self, tensor):", f"        return {call}", ""]


def _sources(found: dict[str, Any]) -> list[str]:
    """Methods for programs that show a failure without dlcert."""
    if not found["makes"] or found["makes_by_import"]:
        return []
    return ["    def source_imports(self):",
            '        return super().source_imports() + "\\nimport numpy"', "",
            "    def source_create(self, spec, data):",
            "        return f'" + found["makes"] +
            "(numpy.frombuffer(bytearray.fromhex(\"{data.hex()}\"), \"{spec.dtype.name}\")' \\",
            "               f\".reshape({spec.shape}))\"", ""]
