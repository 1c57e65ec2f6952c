#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes gcovr's tracefile as lcov's: lcov_tracefile.py PROJECT TRACEFILE INFO

genhtml and coverage services read that format; gcovr 5 does not write it. Its records: geninfo(1), "FILES".
"""

import json
import sys
from pathlib import Path


def records_of(project, file):
    lines = [line for line in file["lines"] if not line["gcovr/noncode"]]
    branches = [(line, number, branch) for line in lines for number, branch in enumerate(line["branches"])]
    yield "TN:"
    yield f"SF:{Path(project, file['file'])}"
    for line, number, branch in branches:
        # "-": the line never ran, so that the branch was not even reached.
        taken = branch["count"] if line["count"] else "-"
        yield f"BRDA:{line['line_number']},0,{number},{taken}"
    yield f"BRF:{len(branches)}"
    yield f"BRH:{sum(branch['count'] > 0 for _, _, branch in branches)}"
    for line in lines:
        yield f"DA:{line['line_number']},{line['count']}"
    yield f"LF:{len(lines)}"
    yield f"LH:{sum(line['count'] > 0 for line in lines)}"
    yield "end_of_record"


def main(project, tracefile, info):
    trace = json.loads(Path(tracefile).read_text(encoding="utf-8"))
    text = "".join(f"{record}\n" for file in trace["files"] for record in records_of(project, file))
    Path(info).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
