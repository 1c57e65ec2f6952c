# SPDX-License-Identifier: Apache-2.0
"""The table of a library's page that shows how verdicts change over versions, made from everything that is recorded of it."""

from __future__ import annotations

from pathlib import Path

from places import is_outcome, name_of, recorded, write
from table import FAILED, cell, version_key

BEGIN, END = "<!-- versions: begin -->", "<!-- versions: end -->"
LEGEND = "✗ is a failure of a MUST, w of what is weaker (a warning), · kept, – not there yet to be judged, ? without a verdict."


def documents_of(library: str, folder: Path) -> list[dict]:
    """A library's certifications, the oldest version first."""
    documents = [document for _, document in recorded(folder) if not is_outcome(document) and name_of(document)[0] == library]
    return sorted(documents, key=lambda document: version_key(name_of(document)[1]))


def sign(results: list[dict]) -> str:
    """What became of one requirement in one version, in both roles."""
    verdicts = {result["verdict"] for result in results} - {"not applicable"}
    if verdicts & set(FAILED):
        return "✗" if results[0]["level"] == "MUST" else "w"
    return "·" if verdicts == {"pass"} else "?" if verdicts else "–"


def signs(documents: list[dict]) -> dict[str, tuple[str, ...]]:
    """Of each requirement that any version does not keep: a sign for each version."""
    names = dict.fromkeys(result["requirement"] for document in documents for result in document["results"])
    rows = {}
    for name in names:
        found = [[result for result in document["results"] if result["requirement"] == name] for document in documents]
        row = tuple(sign(results) if results else "–" for results in found)
        if set(row) & {"✗", "w", "?"}:
            rows[name] = row
    return rows


def verdict_of(document: dict) -> str:
    """Certified, or how many MUST failed."""
    failed = {result["requirement"] for result in document["results"] if result["level"] == "MUST" and result["verdict"] in FAILED}
    return "certified" if document["exit_code"] == 0 else f"{len(failed)} MUST"


def table(library: str, folder: Path) -> str:
    """The table in Markdown; what changed together shares a row, and what fails first in the newest version stands last."""
    documents = documents_of(library, folder)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, row in signs(documents).items():
        alike.setdefault(row, []).append(f"`{name}`")
    rows = sorted(alike.items(), key=lambda item: ("✗" not in item[0], [sign in "✗w" for sign in reversed(item[0])]))
    versions = [cell(name_of(document)[1].split("+")[0]) for document in documents]
    lines = [["requirement", *versions], ["---", *[":---:"] * len(versions)], ["verdict", *map(verdict_of, documents)],
             *[[", ".join(names), *row] for row, names in rows]]
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
