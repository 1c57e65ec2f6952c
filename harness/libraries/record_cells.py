#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the results of cells: record_cells.py --cells cells.toml --into FOLDER RESULT..."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from cells import Cell, load  # noqa: E402

RECORD = Path(__file__).resolve().parent / "record" / "record.py"


def command_for(cell: Cell, result: Path, into: Path) -> list:
    """The command line that records one result."""
    command = [sys.executable, RECORD, "--into", into]
    if cell.note:
        command += ["--note", cell.note]
    failed, packages = result / "failed.json", result / "packages.txt"
    if failed.exists():
        environment = result.parent.parent / "venvs" / result.name  # which the output of a failed import names
        return [*command, "--path", f"{environment}=<python>", "--failed", failed]
    if packages.exists():
        command += ["--packages", packages]
    return [*command, "--library", cell.library, result / "results.json"]


def forget_failure(cell: Cell, into: Path) -> None:
    """Removes what says that a cell came to no certification: a library may tell its version otherwise than the cell, with a name of its own."""
    path = into / "recorded" / f"{cell.name}.json"
    if path.exists() and "stage" in json.loads(path.read_text(encoding="utf-8")):
        path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("results", type=Path, nargs="+", help="the folder of a cell's result, which bears its name")
    options = parser.parse_args()
    cells = load(options.cells)
    options.into.mkdir(parents=True, exist_ok=True)
    for result in options.results:
        if (result / "results.json").exists() and not (result / "failed.json").exists():
            forget_failure(cells[result.name], options.into)
        subprocess.run(command_for(cells[result.name], result.resolve(), options.into.resolve()), check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
