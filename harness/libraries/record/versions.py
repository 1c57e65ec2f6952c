# SPDX-License-Identifier: Apache-2.0
"""The table of a library's page that shows how verdicts change over versions, made from everything that is recorded of it."""

from __future__ import annotations

from pathlib import Path

import older
from places import is_outcome, name_of, recorded, write
from table import FAILED, cell, version_key

BEGIN, END = "<!-- versions: begin -->", "<!-- versions: end -->"
LEGEND = ("✗ is a failure of a MUST, w of what is weaker (a warning), c follows from another failure, · kept,\n"
          "– not there yet to be judged, ? without a verdict.")


def versions_of(library: str, folder: Path) -> list[dict]:
    """A library's certifications in their short form, the oldest version first."""
    whole = [older.short(document) for _, document in recorded(folder)
             if not is_outcome(document) and name_of(document)[0] == library]
    return sorted([*older.read(folder, library), *whole], key=lambda version: version_key(version["version"]))


def sign(verdict: str | None) -> str:
    """What became of one requirement in one version."""
    return {"pass": "·", "warning": "w", "consequence": "c", None: "–"}.get(verdict, "✗" if verdict in FAILED else "?")


def signs(versions: list[dict]) -> dict[str, tuple[str, ...]]:
    """Of each requirement that any version does not keep: a sign for each version."""
    names = dict.fromkeys(name for version in versions for name in version["verdicts"])
    rows = {name: tuple(sign(version["verdicts"].get(name)) for version in versions) for name in names}
    return {name: row for name, row in rows.items() if set(row) & {"✗", "w", "c", "?"}}


def verdict_of(version: dict) -> str:
    """Certified, or how many MUST failed."""
    failed = sum(verdict in FAILED for verdict in version["verdicts"].values())
    return "certified" if version["exit_code"] == 0 else f"{failed} MUST"


def table(library: str, folder: Path) -> str:
    """The table in Markdown; what changed together shares a row, and what fails first in the newest version stands last."""
    versions = versions_of(library, folder)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, row in signs(versions).items():
        alike.setdefault(row, []).append(f"`{name}`")
    rows = sorted(alike.items(), key=lambda item: ("✗" not in item[0], [sign in "✗w" for sign in reversed(item[0])]))
    names = [cell(version["version"].split("+")[0]) for version in versions]
    lines = [["requirement", *names], ["---", *[":---:"] * len(names)], ["verdict", *map(verdict_of, versions)],
             *[[", ".join(alike_ones), *row] for row, alike_ones in rows]]
    return LEGEND + "\n\n" + "".join("| " + " | ".join(line) + " |\n" for line in lines)


def with_table(page: str, library: str, folder: Path) -> str:
    """A page's text with the table that belongs there now, if it has a place for one."""
    if BEGIN not in page:
        return page
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table(library, folder)}\n{END}{rest.split(END)[1]}"


def pages(folder: Path) -> list[Path]:
    """Every page that has a place for the table."""
    return [path for path in sorted(folder.glob("*.md")) if BEGIN in path.read_text(encoding="utf-8")]


def update(folder: Path) -> None:
    """Writes the table of each page of a folder that has a place for it."""
    for path in pages(folder):
        write(path, with_table(path.read_text(encoding="utf-8"), path.stem, folder))
