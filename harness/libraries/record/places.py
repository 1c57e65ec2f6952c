# SPDX-License-Identifier: Apache-2.0
"""Where pages and recorded certifications lie, and how JSON is written: a value that fits a line stands on one.

A folder of pages has README.md, features.svg, a page for each library, matrix.md, the folder faults/ with what people add to a
library's faults (notes.py), and the folder recorded/ with
    LIBRARY-VERSION.json           a certification, or why a cell came to none
    LIBRARY.verdicts.json          of each version of which no more is kept: a verdict for each requirement (older.py)
    programs/LIBRARY-VERSION/      the programs of a certification
    matrix/                        grids of libraries with each other, and their programs (matrix.py)
"""

from __future__ import annotations

import json
import re
from pathlib import Path

REPORTS = Path(__file__).resolve().parents[3] / "reports"
PAGES = REPORTS / "libraries"
SCHEMAS = REPORTS / "schema"
# Below a folder of pages: what is recorded.
RECORDED = "recorded"
WIDTH = 140
# The end of the name of the files of older.py.
VERDICTS = ".verdicts.json"
# A check that shows a fault, be it a failure or a warning.
FAULTS = ("fail", "crash", "timeout", "flaky", "waived")
# A program whose name ends so is not dlcert's.
BY_HAND = "-by-hand"


def stem_of(library: str, version: str) -> str:
    """The name of a library's files: letters, digits and what a version has."""
    return re.sub(r"[^A-Za-z0-9_.+-]", "_", f"{library}-{version}")


def recorded(folder: Path) -> list[tuple[Path, dict]]:
    """Every recorded document of a folder, certifications and cells that came to none, by name."""
    return [(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted((folder / RECORDED).glob("*.json"))
            if not path.name.endswith(VERDICTS)]


def is_outcome(document: dict) -> bool:
    """Whether it is a cell that came to no certification."""
    return "stage" in document


def name_of(document: dict) -> tuple[str, str]:
    """Library and version."""
    if is_outcome(document):
        return document["library"], document["version"]
    facts, adapter = document["recorded"], document["adapters"][0]
    return facts.get("library", adapter["name"]), adapter["version"]


def packed(items: list[str], width: int) -> list[str]:
    """Items of JSON on as few lines as hold them; one that has lines of its own stays apart."""
    lines: list[str] = []
    for item in items:
        fits = lines and "\n" not in item + lines[-1] and len(lines[-1]) + len(item) + 2 <= width
        if fits:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


def dumped(value, indent: int = 0) -> str:
    """JSON with one line for what fits one, and short members beside each other, so that a difference is short."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(line) + indent <= WIDTH:
        return line
    inner = " " * (indent + 1)
    if isinstance(value, list):
        items = [dumped(item, indent + 1) for item in value]
    else:
        items = [f"{json.dumps(key, ensure_ascii=False)}: {dumped(item, indent + 1)}" for key, item in value.items()]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    lines = f",\n{inner}".join(packed(items, WIDTH - indent - 1))
    return f"{opening}\n{inner}{lines}\n{' ' * indent}{closing}"


def write(path: Path, text: str) -> None:
    """Writes a file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
