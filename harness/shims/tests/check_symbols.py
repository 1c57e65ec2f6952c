#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks dynamic symbols and their version nodes: check_symbols.py READELF LIST {exactly|within} LIBRARY

`exactly`: the library defines the symbols of LIST and no others, and models a function for the
per-thread default stream where it models the plain one. `within`: it defines at least those of LIST.
"""

import re
import subprocess
import sys

# "    45: 0000000000012f50   123 FUNC    WEAK   DEFAULT   14 cudaArrayGetInfo@@libcudart.so.13"
SYMBOL = re.compile(r"\s*\d+: [0-9a-f]+ .* (GLOBAL|WEAK) +[A-Z]+ +\d+ ([^@\s]+)@*(\S*)$")

PER_THREAD = ("_ptsz", "_ptds", "_spt")


def read_list(path):
    with open(path, encoding="utf-8") as lines:
        return {tuple(line.split()) for line in lines if not line.startswith("#")}


def read_library(readelf, path):
    """The symbols that the library defines: (name, node) -> binding."""
    text = subprocess.run([readelf, "--dyn-syms", "--wide", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    symbols = filter(None, map(SYMBOL.match, text.splitlines()))
    return {(name, node): binding for binding, name, node in map(re.Match.groups, symbols)}


def judge(listed, found, exactly):
    """What is wrong, one line each."""
    wrong = [f"missing: {' '.join(symbol)}" for symbol in sorted(listed - found.keys())]
    if not listed:
        wrong.append("the list names no symbol")
    if exactly:
        wrong += [f"not listed: {' '.join(symbol)}" for symbol in sorted(found.keys() - listed)]
        wrong += judge_per_thread({name: binding for (name, _), binding in found.items()})
    return wrong


def judge_per_thread(bindings):
    """Functions that are not modelled are weak."""
    for name, binding in sorted(bindings.items()):
        for suffix in PER_THREAD:
            plain = name.removesuffix(suffix)
            if plain != name and bindings.get(plain, binding) != binding:
                yield f"modelled with only one default stream: {plain}"


def main(arguments):
    readelf, listed, how, library = arguments
    wrong = judge(read_list(listed), read_library(readelf, library), {"exactly": True, "within": False}[how])
    for line in wrong:
        print(f"{library}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
