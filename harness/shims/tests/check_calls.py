#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the page of refused functions up to date: check_calls.py READELF LIBRARY CALLERS PAGE [--write]

The page lists the functions that LIBRARY refuses: all of them, and those that the libraries of CALLERS call.
With --write the script writes the page, otherwise it compares the page.
"""

import sys
import textwrap

from check_symbols import PER_THREAD, read_library

HEAD = """\
# What the drop-in libcudart refuses

This page lists the functions that dlcert's [drop-in](../docs/README.md#terms) `libcudart` does not model.
[check_calls.py](tests/check_calls.py) writes it from the drop-in for CUDA 13 and from [callers.txt](cuda/callers.txt).
A test compares the page with the library.

A function without a model returns not-supported (801), and its first call prints its name on stderr. What fails after
such a call is [not judged](../docs/README.md#terms). Modelled functions refuse some arguments in the same way: copies
of arrays, attributes that CUDA reserves, and handles of other processes.

The variants for the per-thread default stream (`_ptsz`, `_ptds`) are listed under the plain name.

## Libraries

The table lists which refused functions a library calls.

| library | functions called | refused |
| --- | --- | --- |
"""


def plain(symbol):
    for suffix in PER_THREAD:
        symbol = symbol.removesuffix(suffix)
    return symbol


def read_callers(path):
    """What each library calls, in the order of the file."""
    callers = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("= "):
                calls = callers.setdefault(line[2:].strip(), [])
            elif not line.startswith("#"):
                calls.extend(line.split())
    return callers


def row(name, calls, refused):
    without = sorted(refused & set(calls))
    return f"| {name} | {len(calls)} | {', '.join(without) or 'none'} |\n"


def make_page(bindings, callers):
    symbols = {plain(name) for name in bindings}
    refused = {plain(name) for name, binding in bindings.items() if binding == "WEAK"}
    text = HEAD + "".join(row(name, calls, refused) for name, calls in callers.items())
    text += (f"\n## All refused functions\n\nThe drop-in models {len(symbols - refused)} functions and refuses"
             f" {len(refused)}:\n\n")
    return text + textwrap.fill(", ".join(sorted(refused)), 118) + ".\n"


def write_or_compare(page, path, library, options):
    """The exit code: 1 where the file holds another page."""
    if options == ["--write"]:
        with open(path, "w", encoding="utf-8") as out:
            out.write(page)
        return 0
    with open(path, encoding="utf-8") as found:
        if found.read() == page:
            return 0
    print(f"{path} is not what {library} refuses: run the script that made it with --write")
    return 1


def main(arguments):
    readelf, library, callers_path, page_path, *options = arguments
    bindings = {name: binding for (name, _), binding in read_library(readelf, library).items()}
    callers = read_callers(callers_path)
    unknown = sorted({call for calls in callers.values() for call in calls} - bindings.keys())
    if unknown:
        print(f"{callers_path}: not of {library}: {' '.join(unknown)}")
        return 1
    return write_or_compare(make_page(bindings, callers), page_path, library, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
