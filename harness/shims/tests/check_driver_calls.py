#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the page of the driver's calls true: check_driver_calls.py READELF LIBRARY NAMES CALLERS PAGE [--write]

The page lists what LIBRARY refuses, of the names of NAMES (driver_names.inc) and of what the libraries of CALLERS call. With
--write it is written, else compared.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import defaultdict

from check_calls import read_callers, row, write_or_compare
from check_symbols import read_library

ROW = re.compile(r"DLCERT_DRIVER_NAME\((\w+), (\d+), (\w+), (\w+)\)")
HEAD = """\
# What the stand-in libcuda refuses

Made by [check_driver_calls.py](tests/check_driver_calls.py) from `libcuda.so.1`, [driver_names.inc](cuda_driver/driver_names.inc) and
[callers.txt](cuda_driver/callers.txt); a test compares. A call that is refused returns not-supported (801), is named once on stderr, and what fails behind
it is not judged. Names are those of `cuGetProcAddress`. Calls that are modelled refuse by name what they cannot tell: copies of arrays, memory of the host
that is mapped. Private tables (`cuGetExportTable`) are not found.

## Libraries

| library | calls | refused |
| --- | --- | --- |
"""

# (version, symbol) of each form, the oldest first.
Forms = list[tuple[int, str]]


def read_names(path: str) -> dict[str, Forms]:
    """The forms of each name, for either default stream."""
    forms = defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for name, version, _, symbol in filter(None, (ROW.match(line) and ROW.match(line).groups() for line in lines)):
            forms[name].append((int(version), symbol))
    return {name: sorted(of_name) for name, of_name in forms.items()}


def refused_forms(forms: Forms, refused_symbols: set[str]) -> Forms:
    return [form for form in forms if form[1] in refused_symbols]


def wrapped(words: list[str]) -> str:
    return textwrap.fill(", ".join(words), 118) + ".\n"


def make_page(names: dict[str, Forms], refused_symbols: set[str], callers: dict[str, list[str]]) -> str:
    refused, older = set(), []
    for name, forms in names.items():
        lacking = refused_forms(forms, refused_symbols)
        if forms[-1] in lacking:
            refused.add(name)
        else:
            older += [symbol for _, symbol in lacking]
    text = HEAD + "".join(row(name, calls, refused) for name, calls in callers.items())
    text += f"\n## Older forms\n\n{len(older)} are refused of names whose newest form is modelled:\n\n" + wrapped(sorted(older))
    text += f"\n## All\n\n{len(names) - len(refused)} are modelled:\n\n" + wrapped(sorted(names.keys() - refused))
    return text + f"\n{len(refused)} are refused:\n\n" + wrapped(sorted(refused))


def main(arguments: list[str]) -> int:
    readelf, library, names_path, callers_path, page_path, *options = arguments
    names, callers = read_names(names_path), read_callers(callers_path)
    unknown = sorted({call for calls in callers.values() for call in calls} - names.keys())
    if unknown:
        print(f"{callers_path}: no names of the driver API: {' '.join(unknown)}")
        return 1
    refused_symbols = {name for (name, _), binding in read_library(readelf, library).items() if binding == "WEAK"}
    return write_or_compare(make_page(names, refused_symbols, callers), page_path, library, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
