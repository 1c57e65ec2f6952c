#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a certification for good, with its programs, and makes README.md's table of all that are recorded.

    record.py RESULTS.json                what `dlcert certify --results RESULTS.json` wrote
    record.py --matrix NAME RESULTS.json  what `dlcert matrix --results RESULTS.json` wrote, as recorded/matrix/NAME.json
    record.py --failed CELL.json          a cell of the workflow that came to no certification
    record.py --table                     README.md's table and picture again, matrix.md's grids, and the tables of versions and
                                          the faults on the pages of libraries
    record.py --check                     whether all that is recorded is in order: exit code 1 if not
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import check  # noqa: E402
import clean  # noqa: E402
import fault_pages  # noqa: E402
import matrix  # noqa: E402
import older  # noqa: E402
import picture  # noqa: E402
import table  # noqa: E402
import versions  # noqa: E402
from places import BY_HAND, PAGES, RECORDED, SCHEMAS, dumped, stem_of, write  # noqa: E402


# What the programs in C include, once for all of them, beside their folders.
HEADER = "dlcert_counterexample.h"


def machine() -> str:
    """This machine in a few words."""
    models = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return ", ".join(filter(None, [platform.machine(), f"{os.cpu_count()} cores", models[0] if models else ""]))


def programs_of(folder: Path) -> list[Path]:
    """A run's programs, and its texts for upstream; a struct in C only where no program calls the library."""
    texts = sorted(folder.glob("*.md"))
    programs = [path for path in sorted(folder.glob("*")) if path.suffix in (".py", ".c")]
    stems = {path.stem for path in programs if not path.name.endswith(".recorded.c")}
    kept = [path for path in programs if path.name.removesuffix(".recorded.c") == path.name
            or path.name.removesuffix(".recorded.c") not in stems]
    structs = any(path.name.endswith(".recorded.c") for path in kept)
    return [*kept, *texts, *([folder / "dlcert_recorded.h"] if structs else [])]


def cleaned_program(path: Path, cleaner: clean.Cleaner) -> str:
    """A program, or a text with one, without paths of this machine. A program still compiles: addresses are cleaned
    outside of code and in comments alone."""
    comment, in_code, cleaned = ("#", "/*", " *"), path.suffix != ".md", []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if path.suffix == ".md" and line.startswith("```"):
            in_code = not in_code
        cleaned.append(cleaner.text(line, addresses=not in_code or line.startswith(comment)))
    text = "".join(cleaned)
    if path.suffix == ".py":
        compile(text, path.name, "exec")
    return text.replace(f'#include "{HEADER}"', f'#include "../{HEADER}"')


def remove_written(programs: Path) -> None:
    """Removes what a former run of dlcert wrote; what somebody wrote by hand stays, with the pages that lead to it."""
    for path in programs.glob("*"):
        if not path.stem.endswith(BY_HAND):
            path.unlink()


def record_run(options: argparse.Namespace) -> str:
    """Records the results of a run, which has ended, of one library. Gives their name."""
    document = json.loads(options.results.read_text(encoding="utf-8"))
    if not document["complete"] or document["filtered"] or len(document["adapters"]) != 1:
        raise SystemExit(f"{options.results}: expected the whole certification of one library")
    schema = json.loads((SCHEMAS / "results.schema.json").read_text(encoding="utf-8"))
    programs_run = {str(Path(f"{options.results}.counterexamples").resolve()): "<programs>"}
    cleaner = clean.Cleaner(clean.names_of(document, programs_run | dict(pair.split("=", 1) for pair in options.path)))
    adapter = document["adapters"][0]
    facts = {"machine": options.machine or machine()}
    if options.library and options.library != adapter["name"]:
        facts["library"] = options.library
    if options.note:
        facts["note"] = options.note
    if options.packages:
        facts["packages"] = options.packages.read_text(encoding="utf-8").split()
    stem = stem_of(options.library or adapter["name"], adapter["version"])
    kept = clean.kept_of(document, schema, cleaner, facts)
    found = programs_of(Path(f"{options.results}.counterexamples"))
    texts = {path.name: cleaned_program(path, cleaner) for path in found}

    programs = options.into / RECORDED / "programs" / stem
    remove_written(programs)
    for name, text in texts.items():
        write(programs / name, text)
    header = Path(f"{options.results}.counterexamples", HEADER)
    if header.exists():
        write(programs.parent / HEADER, header.read_text(encoding="utf-8"))
    write(options.into / RECORDED / f"{stem}.json", dumped(kept) + "\n")
    return stem


def record_matrix(options: argparse.Namespace) -> str:
    """Records the results of libraries with each other. Gives their name."""
    document = json.loads(options.results.read_text(encoding="utf-8"))
    if not document["complete"] or document["filtered"] or "matrix" not in document:
        raise SystemExit(f"{options.results}: expected the whole results of a matrix")
    cleaner = clean.Cleaner(clean.names_of(document, dict(pair.split("=", 1) for pair in options.path)))
    facts = {"machine": options.machine or machine()}
    if options.packages:
        facts["packages"] = options.packages.read_text(encoding="utf-8").split()
    found = programs_of(Path(f"{options.results}.counterexamples"))
    texts = {path.name: cleaned_program(path, cleaner) for path in found}
    matrix.record(document, cleaner, facts, options.matrix, texts, options.into)
    return options.matrix


def record_failed(options: argparse.Namespace) -> str:
    """Records a cell that came to no certification, with the reason. Gives its name."""
    document = json.loads(options.failed.read_text(encoding="utf-8"))
    cleaner = clean.Cleaner(clean.names_of({}, dict(pair.split("=", 1) for pair in options.path)))
    kept = cleaner.value({**document, "machine": options.machine or machine()})
    if options.note:
        kept["note"] = options.note
    stem = stem_of(kept["library"], kept["version"])
    shutil.rmtree(options.into / RECORDED / "programs" / stem, ignore_errors=True)
    write(options.into / RECORDED / f"{stem}.json", dumped(kept) + "\n")
    return stem


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("results", nargs="?", type=Path, help="results of a run; its programs lie beside it")
    parser.add_argument("--matrix", metavar="NAME", help="the results are of libraries with each other: the grid's name")
    what.add_argument("--failed", type=Path, help="a cell that came to no certification")
    what.add_argument("--table", action="store_true", help="make the tables and record nothing")
    what.add_argument("--check", action="store_true", help="judge what is recorded and change nothing")
    parser.add_argument("--into", type=Path, default=PAGES, help="the folder of pages (default: reports/libraries)")
    parser.add_argument("--library", help="its name here, where the adapter's is not telling (torch-cuda)")
    parser.add_argument("--note", help="what else is to be said in the table (\"Debian's python3-torch\")")
    parser.add_argument("--packages", type=Path, help="what was installed, a line each (pip freeze)")
    parser.add_argument("--machine", help="the machine (default: this one's processor)")
    parser.add_argument("--path", action="append", default=[], metavar="PATH=NAME",
                        help="a folder of this machine, and what it is called in the record")
    return parser


def read_arguments() -> argparse.Namespace:
    parser = arguments()
    options = parser.parse_args()
    if options.matrix and not options.results:
        parser.error("--matrix: expected RESULTS.json beside it")
    return options


def main() -> int:
    options = read_arguments()
    if options.check:
        wrong = list(check.judge(options.into))
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return 1 if wrong else 0
    try:
        if options.results:
            print(f"recorded {record_matrix(options) if options.matrix else record_run(options)}")
        elif options.failed:
            print(f"recorded {record_failed(options)}")
    except clean.MachinePath as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 2
    older.update(options.into)
    table.update(options.into)
    picture.update(options.into)
    versions.update(options.into)
    fault_pages.update(options.into)
    matrix.update(options.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
