#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the names that the bridge to Python looks up against CPython.

stable_abi.py BRIDGE [LIBRARY]...

Each name must be in the stable ABI of each version that is served, or stand in FALLBACKS. Each
LIBRARY, a shared library of CPython, must export them all. BRIDGE is the folder of the bridge.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from abi3info import DATAS, FUNCTIONS

OLDEST = (3, 10)
NEWEST = (3, 14)

# Names outside of the stable ABI, with what the bridge does where one is missing.
FALLBACKS: dict[str, str] = {}

# What a name is, and the first version of the stable ABI that has it.
Known = dict[str, tuple[str, tuple[int, int]]]

LIST = "python_api.inc"
LOOKS_UP = "python_api.cpp"
ROW = re.compile(r"^DLCERT_PYTHON_(FUNCTION|OBJECT|ERROR)\((?:[^,()]*,\s*)?(\w+)[,)]", re.MULTILINE)
ANY_ROW = re.compile(r"^DLCERT_PYTHON_", re.MULTILINE)


def names_in(text: str) -> dict[str, str]:
    """The names of the list, with what each is."""
    rows = ROW.findall(text)
    if len(rows) != len(ANY_ROW.findall(text)) or not rows:
        raise ValueError(f"{LIST}: expected rows as its head describes them but found others")
    return {name: kind for kind, name in rows}


def stable_since() -> Known:
    """What each name of the stable ABI on Linux is, and its first version."""
    known: Known = {}
    for kind, symbols in (("FUNCTION", FUNCTIONS), ("DATA", DATAS)):
        for symbol, item in symbols.items():
            if item.ifdef is None or item.ifdef.name == "HAVE_FORK":
                known[symbol.name] = (kind, (item.added.major, item.added.minor))
    return known


def unstable(names: Mapping[str, str], known: Known, fallbacks: Mapping[str, str]) -> list[str]:
    """What is wrong with the names, a line each."""
    problems = []
    for name, kind in names.items():
        wanted = "FUNCTION" if kind == "FUNCTION" else "DATA"
        found, since = known.get(name, ("", NEWEST))
        stable = found == wanted and since <= OLDEST
        if not stable and name not in fallbacks:
            there = f"a {found.lower()} since {since[0]}.{since[1]}" if found else "none"
            problems.append(f"{name}: expected a {wanted.lower()} of the stable ABI since "
                            f"{OLDEST[0]}.{OLDEST[1]} but found {there}")
        if name in fallbacks and stable:
            problems.append(f"{name}: it is in the stable ABI and needs no fallback")
    return problems + [f"{name}: a fallback for what is not looked up" for name in fallbacks
                       if name not in names]


def looked_up_elsewhere(bridge: Path) -> list[str]:
    """Sources beside the one of the list that look names up."""
    return [f"{path.name}: looks names up beside {LIST}" for path in sorted(bridge.glob("*.?pp"))
            if path.name != LOOKS_UP and "dlsym" in path.read_text(encoding="utf-8")]


def not_exported(names: Iterable[str], library: Path) -> list[str]:
    table = subprocess.run(["readelf", "--wide", "--dyn-syms", str(library)], capture_output=True,
                           text=True, check=True).stdout
    defined = set()
    for line in table.splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[6] != "UND":
            defined.add(fields[7].partition("@")[0])
    return [f"{name}: {library} does not export it" for name in names if name not in defined]


def main(bridge: Path, libraries: list[Path]) -> int:
    names = names_in((bridge / LIST).read_text(encoding="utf-8"))
    problems = unstable(names, stable_since(), FALLBACKS) + looked_up_elsewhere(bridge)
    for library in libraries:
        print(f"looked at {library}")
        problems += not_exported(names.keys() - FALLBACKS.keys(), library)
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        if not any(library.name.startswith(f"libpython3.{minor}.") for library in libraries):
            print(f"not here: a shared library of CPython 3.{minor}")
    for problem in problems:
        print(problem)
    if not libraries:
        print("expected a shared library of CPython but found none")
    return 1 if problems or not libraries else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]]))
