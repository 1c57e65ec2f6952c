# SPDX-License-Identifier: Apache-2.0
"""Writes driver_names.inc from the headers that say what CUDA's driver API has under which name.

A typedef such as PFN_cuMemcpyHtoD_v7000_ptds says that cuMemcpyHtoD for per-thread default streams is there from
CUDA 7.0 on. The forms of a name get their symbols in that order: cuMemcpyHtoD, cuMemcpyHtoD_v2.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import sys

HEADERS = ("cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaVDPAUTypedefs.h", "cudaProfilerTypedefs.h")
TYPEDEF = re.compile(r"\(\s*CUDAAPI\s*\*\s*PFN_(cu\w+?)_v(\d+)(_ptds|_ptsz)?\)")
HEADING = """// SPDX-License-Identifier: Apache-2.0
//
// The names of CUDA's driver API (CUDA {version}): each with the version of CUDA from which on it means this symbol, and
// whose default stream handle 0 is in it. Written by driver_names.py.

// clang-format off
"""


def forms(include: pathlib.Path) -> list[tuple[str, int, str, str]]:
    """(name, version, "legacy" or "per_thread", symbol), sorted by name."""
    versions: dict[tuple[str, str], set[int]] = collections.defaultdict(set)
    for header in HEADERS:
        for name, version, suffix in TYPEDEF.findall((include / header).read_text()):
            versions[name, suffix].add(int(version))
    # A per-thread form belongs to the newest legacy one that is as old, and else to the first.
    found = []
    for (name, suffix), of_name in sorted(versions.items()):
        legacy = sorted(versions[name, ""]) if (name, "") in versions else sorted(of_name)
        for version in sorted(of_name):
            index = max((i for i, other in enumerate(legacy) if other <= version), default=0)
            symbol = name + (f"_v{index + 1}" if index else "") + suffix
            found.append((name, version, "per_thread" if suffix else "legacy", symbol))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("include", type=pathlib.Path, help="the folder of cuda.h")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true",
                        help="write nothing: exit code 1 if the file differs, 77 if the headers have another version")
    arguments = parser.parse_args()
    version = re.search(r"#define CUDA_VERSION (\d+)", (arguments.include / "cuda.h").read_text())
    assert version, "cuda.h has no CUDA_VERSION"
    number = int(version[1])
    rows = [f"DLCERT_DRIVER_NAME({', '.join(map(str, form))})\n" for form in forms(arguments.include)]
    heading = HEADING.format(version=f"{number // 1000}.{number % 1000 // 10}")
    text = heading + "".join(rows) + "// clang-format on\n"
    if not arguments.check:
        arguments.out.write_text(text)
        return 0
    there = arguments.out.read_text()
    if heading not in there:
        print(f"the headers have another version than {arguments.out.name}: {number}")
        return 77
    print("up to date" if there == text else f"{arguments.out}: differs from the headers; run this without --check")
    return 0 if there == text else 1


if __name__ == "__main__":
    sys.exit(main())
