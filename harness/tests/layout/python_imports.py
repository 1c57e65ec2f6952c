#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which Python file imports which: python_imports.py PROJECT

A file may import modules of its own part, of the parts that MAY_IMPORT names, of the standard library, and from outside
where OUTSIDE says so.
"""

import ast
import re
import sys
from pathlib import Path

# Which part's modules a part may import besides its own. The longest path that holds a file is its part.
MAY_IMPORT = {
    "conformance": [],
    "fixtures": [],
    "fixtures/faults": [],
    "fixtures/mutants": ["harness/python"],
    "fixtures/numpy_faults": ["fixtures/faults"],
    "fixtures/vectors": [],
    "harness": [],
    "harness/adapters": ["harness/python"],
    "harness/libraries": [],
    "harness/python": [],
    "harness/tests": ["harness/python", "harness/libraries"],
    "reference": [],
    "reports": [],
}

# From outside: a pattern for the module, one for the importing file. The first that fits the module decides.
OUTSIDE = [
    # Libraries under test, in their adapters and in programs about them.
    (r"cuda|cupy|cupyx|decord|dpctl|dpnp|drjit|jax|jaxlib|kornia_rs|ml_dtypes|mlx|nanobind_example|numba|numba_cuda|numpy|nvidia|"
     r"onnxruntime|paddle|pyarrow|tensorflow|torch|tvm_ffi|warp|array_api_strict|array_api_compat|av",
     r"harness/(adapters|tests|shims/tests|python/dlcert/init)/|fixtures/(numpy_faults|vectors|faults)/|reference/python/tests/|"
     r"reports/hardware/"),
    (r"amdsmi|pynvml", r"fixtures/vectors/|harness/shims/tests/"),
    # The extension modules that this project builds.
    (r"_dlcert", r"harness/(python|adapters|tests)/"),
    (r"acme_native", r"harness/tests/sides/"),
    (r"dlcert_reference|dlcert_reference_memory",
     r"harness/(adapters/python|tests/standalone)/|fixtures/mutants/|reference/python/tests/"),
    # Tools.
    (r"Cython", r"harness/adapters/recipes/"),
    (r"abi3info", r"harness/tests/python/"),
    (r"jsonschema", r"harness/(tests|libraries)/|fixtures/vectors/"),
    (r"markdown_it", r"harness/tests/report/"),
    (r"pytest", r"harness/(python/dlcert/pytest_plugin\.py|tests/python_api/)"),
    (r"snakemake", r"harness/tests/libraries/"),
    (r"tree_sitter(_cpp)?", r"fixtures/faults/"),
    (r"yaml", r"harness/tests/docs/"),
]

# Saved programs, and programs and tests for upstream, which nothing imports and which import what they show.
NOT_JUDGED = re.compile(r"reports/libraries/(recorded|upstream)/")
# Loaded by their path, never imported; they have the names of the libraries.
NO_MODULES = re.compile(r"harness/adapters/python/(?!_)")


def part_of(path, parts):
    """The longest of `parts` that holds `path`, or None."""
    holding = [part for part in parts if path == part or path.startswith(part + "/")]
    return max(holding, key=len, default=None)


def python_files(project):
    for folder in sorted({part.split("/")[0] for part in MAY_IMPORT}):
        for path in sorted((project / folder).rglob("*.py")):
            name = path.relative_to(project).as_posix()
            if not NOT_JUDGED.match(name):
                yield name


def module_of(name):
    """The name by which a file is imported."""
    path = Path(name)
    return path.parent.name if path.stem == "__init__" else path.stem


def imported(text):
    """The first names of all modules that a program imports, without relative imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def judge_import(importing, module, files):
    """What is wrong with one import, or None. `files`: those that have a module's name."""
    if module in sys.stdlib_module_names:
        return None
    part = part_of(importing, MAY_IMPORT)
    if part is None:
        return f"{importing}: belongs to no part of the project"
    parts = {part_of(name, MAY_IMPORT) for name in files.get(module, []) if not NO_MODULES.match(name)}
    if parts & {part, *MAY_IMPORT[part]}:
        return None
    for pattern, place in OUTSIDE:
        if re.fullmatch(pattern, module):
            return None if re.match(place, importing) else f"{importing}: may not import {module}"
    if parts:
        return f"{importing}: {part} may not import {module} of {', '.join(sorted(parts))}"
    return f"{importing}: imports {module}, which is neither the project's nor known from outside"


def judge(project):
    names = list(python_files(project))
    files = {}
    for name in names:
        files.setdefault(module_of(name), []).append(name)
    for name in names:
        for module in sorted(set(imported((project / name).read_text(encoding="utf-8")))):
            wrong = judge_import(name, module, files)
            if wrong:
                yield wrong
    for part in MAY_IMPORT:
        if not any(name.startswith(part + "/") for name in names):
            yield f"{part}: has a row in {Path(__file__).name} but no Python file"


def main(arguments):
    wrong = list(judge(Path(arguments[0]).resolve()))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
