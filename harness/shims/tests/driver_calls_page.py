#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the page of the calls of the CUDA driver that the drop-in refuses: driver_calls_page.py READELF LIBRARY NAMES CALLERS PAGE

The page lists what LIBRARY refuses, of the names of NAMES (driver_names.inc) and of what the libraries of CALLERS call.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

from check_calls import read_callers, row
from check_symbols import read_library

ROW = re.compile(r"DLCERT_DRIVER_NAME\((\w+), (\d+), (\w+), (\w+)\)")
HEAD = """\
# What the drop-in libcuda refuses

Made from `libcuda.so.1`, driver_names.inc and callers.txt of harness/shims/cuda_driver. A call that is refused returns not-supported (801). dlcert
prints its name once on standard error, and does not judge failures after it. The names are those of `cuGetProcAddress`. Some implemented calls
refuse arguments: copies of arrays, mapped host memory. The private tables of `cuGetExportTable` do not exist.

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
    text += f"\n## Older forms\n\n{len(older)} are refused of names whose newest form is implemented:\n\n" + wrapped(sorted(older))
    text += f"\n## All\n\n{len(names) - len(refused)} are implemented:\n\n" + wrapped(sorted(names.keys() - refused))
    return text + f"\n{len(refused)} are refused:\n\n" + wrapped(sorted(refused))


def main(arguments: list[str]) -> int:
    readelf, library, names_path, callers_path, page_path = arguments
    names, callers = read_names(names_path), read_callers(callers_path)
    unknown = sorted({call for calls in callers.values() for call in calls} - names.keys())
    if unknown:
        print(f"{callers_path}: no names of the driver API: {' '.join(unknown)}")
        return 1
    refused_symbols = {name for (name, _), binding in read_library(readelf, library).items() if binding == "WEAK"}
    Path(page_path).write_text(make_page(names, refused_symbols, callers), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
