#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the inputs of a fuzz target into one text file, and unpacks them: corpus.py pack FOLDER FILE, unpack FILE FOLDER

A line is an input in the syntax of libFuzzer's dictionaries: "...", in which \\\\, \\" and \\xAB stand for a backslash, a
quote and a byte. An input that shows a fault which was mended has a name: name="...". Unpacked, an input without a name is
called by the SHA-1 of its bytes, as libFuzzer does. What FOLDER had before is deleted.
"""

import hashlib
import re
import shutil
import sys
from pathlib import Path

LINE = re.compile(r'(?:([\w.-]+)=)?"((?:[^"\\]|\\\\|\\"|\\x[0-9A-Fa-f]{2})*)"')
ESCAPE = re.compile(rb'\\(?:x([0-9A-Fa-f]{2})|(.))')
HEADER = "# SPDX-License-Identifier: Apache-2.0\n# Inputs of the fuzz target {}; harness/fuzz/corpus.py reads them.\n"


def escaped(data):
    def text(byte):
        if byte in b'\\"':
            return "\\" + chr(byte)
        return chr(byte) if 0x20 <= byte < 0x7f else f"\\x{byte:02x}"

    return "".join(map(text, data))


def unescaped(text):
    return ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()) if found[1] else found[2], text.encode())


def digest(data):
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def read(file):
    """The inputs of a packed file, by name."""
    inputs = {}
    for number, line in enumerate(Path(file).read_text(encoding="ascii").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        found = LINE.fullmatch(line)
        if not found:
            raise SystemExit(f"{file}:{number}: expected \"...\" or name=\"...\" but found {line[:60]!r}")
        data = unescaped(found[2])
        name = found[1] or digest(data)
        if name in inputs:
            raise SystemExit(f"{file}:{number}: found the input {name} again")
        inputs[name] = data
    return inputs


def unpack(file, folder):
    inputs = read(file)
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    for name, data in inputs.items():
        Path(folder, name).write_bytes(data)


def pack(folder, file):
    inputs = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    named = sorted(name for name, data in inputs.items() if name != digest(data))
    unnamed = sorted(data for name, data in inputs.items() if name == digest(data))
    lines = [f'{name}="{escaped(inputs[name])}"' for name in named] + [f'"{escaped(data)}"' for data in unnamed]
    Path(file).write_text(HEADER.format(Path(file).stem) + "\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])
