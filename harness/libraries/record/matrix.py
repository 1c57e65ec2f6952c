# SPDX-License-Identifier: Apache-2.0
"""Recorded grids of libraries with each other: the folder matrix/ with their JSON and programs, and matrix.md's tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import clean
from places import FAULTS, RECORDED, SCHEMAS, dumped, write

PAGE = "matrix.md"
FOLDER = f"{RECORDED}/matrix"
# A line of the page that names a requirement and says this accounts for a fault of a pair that no program shows.
EXCUSE = "no program:"
GRID = re.compile(r"(<!-- grid ([a-z0-9-]+): begin -->\n).*?(<!-- grid \2: end -->)", re.DOTALL)

MARKS = {"full": "full {found}", "partial": "part {found}/{all}", "broken": "BROKEN", "nothing exchanged": "nothing",
         "not judged": "?", "not its role": "-", "cannot be loaded together": "APART"}


def recorded_grids(folder: Path) -> list[tuple[Path, dict]]:
    """Every recorded grid of a folder of reports, by name."""
    return [(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted((folder / FOLDER).glob("*.json"))]


def kept_of(document: dict, cleaner: clean.Cleaner, facts: dict) -> dict:
    """The recorded form of a matrix's results: valid against the same schema."""
    schema = json.loads((SCHEMAS / "results.schema.json").read_text(encoding="utf-8"))
    kept = clean.kept_of(document, schema, cleaner, facts)
    required = schema["$defs"]["check"]["required"]
    controls = [clean.short_result(result, required) for result in document["matrix"]["controls"]]
    kept["matrix"] = cleaner.value({**document["matrix"], "controls": controls})
    return kept


def mark(cell: dict) -> str:
    """What stands in the grid."""
    return MARKS[cell["state"]].format(found=cell["found"], all=cell["found"] + cell["refused"] + cell["failed"])


def programs(document: dict) -> str:
    """What became of the programs of the pairs that fail."""
    states = Counter(check["program_run"]["state"] for result in document["results"] for check in result["checks"]
                     if check["verdict"] in FAULTS and "program_run" in check)
    states.update(clash["program_run"]["state"] for clash in document["matrix"].get("clashes", []) if "program_run" in clash)
    return ", ".join(f"{count} {state}" for state, count in sorted(states.items())) or "none"


def grid(document: dict) -> str:
    """The grid with its counts, in Markdown, of what is recorded alone."""
    names = [adapter["name"] for adapter in document["adapters"]]
    cells = {(cell["producer"], cell["consumer"]): cell for cell in document["matrix"]["cells"]}
    rows = [["producer \\ consumer", *names], ["---"] * (len(names) + 1)]
    rows += [[producer, *(mark(cells[producer, consumer]) for consumer in names)] for producer in names]
    counts = Counter(cell["state"] for cell in cells.values())
    states = ", ".join(f"{counts[state]} {state}" for state in MARKS if counts[state])
    times = ", ".join(f"{one['adapter']} {one['times']}" for one in document["matrix"]["imports"])
    versions = ", ".join(f"{adapter['name']} {adapter['version']}" for adapter in document["adapters"])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    clashes = [f"- {clash['first']} and {clash['second']}: " + "; ".join(
        f"{order['first']}, then {order['second']}: {'both load' if order['loads'] else order['how'][:160]}"
        for order in clash["orders"]) for clash in document["matrix"].get("clashes", [])]
    facts = [
        f"{len(cells)} pairs: {states}. They and what each shows alone took {document['seconds']:.0f} s on "
        f"{document['recorded']['machine']}; {document['started'][:10]}, seed {document['seed']}.",
        f"Processes that loaded each library: {times}.",
        f"Programs of what fails: {programs(document)}.",
        f"{versions}.",
    ]
    return "\n".join([*lines, "", *clashes, *([""] if clashes else []), *facts]) + "\n"


def with_grids(page: str, folder: Path) -> str:
    """The page's text with the grids that belong there now."""
    documents = {path.stem: document for path, document in recorded_grids(folder)}

    def fresh(match: re.Match[str]) -> str:
        known = documents.get(match[2])
        return f"{match[1]}\n{grid(known)}\n{match[3]}" if known else match[0]

    return GRID.sub(fresh, page)


def update(folder: Path) -> None:
    """Writes the grids of a folder's page, where there is one."""
    page = folder / PAGE
    if page.exists():
        write(page, with_grids(page.read_text(encoding="utf-8"), folder))


def record(document: dict, cleaner: clean.Cleaner, facts: dict, name: str, texts: dict[str, str], folder: Path) -> None:
    """Writes a grid and its programs in the place of what had that name."""
    for path in (folder / FOLDER / name).glob("*"):
        path.unlink()
    for file, text in texts.items():
        write(folder / FOLDER / name / file, text)
    write(folder / FOLDER / f"{name}.json", dumped(kept_of(document, cleaner, facts)) + "\n")


def unshown(document: dict) -> Iterator[tuple[str, str]]:
    """(what, pair) of each fault that no program was seen to show."""
    for result in document["results"]:
        for check in result["checks"]:
            if check["verdict"] in FAULTS and check.get("program_run", {}).get("state") != "confirmed":
                yield result["requirement"], f"{result['producer']} to {result['consumer']}"
    for clash in document["matrix"].get("clashes", []):
        if clash.get("program_run", {}).get("state") != "confirmed":
            yield "cannot be loaded together", f"{clash['first']} and {clash['second']}"


def judge(folder: Path) -> Iterator[str]:
    """Everything that is wrong with the recorded grids and their page."""
    from jsonschema import Draft202012Validator

    schema = Draft202012Validator(json.loads((SCHEMAS / "results.schema.json").read_text(encoding="utf-8")))
    documents = recorded_grids(folder)
    page = (folder / PAGE).read_text(encoding="utf-8") if (folder / PAGE).exists() else ""
    excuses = [line for line in page.splitlines() if EXCUSE in line]
    errors = [f"{FOLDER}/{path.name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
              for path, document in documents for error in schema.iter_errors(document)]
    if errors:
        yield from errors
        return
    for path, document in documents:
        for what, pair in unshown(document):
            if not any(f"`{what}`" in line for line in excuses):
                yield f"{FOLDER}/{path.name}: {what}: {pair}: expected a confirmed program, or a line of {PAGE} with \"{EXCUSE}\""
        if f"<!-- grid {path.stem}: begin -->" not in page:
            yield f"{FOLDER}/{path.name}: expected a grid {path.stem} in {PAGE}"
    for match in GRID.finditer(page):
        if match[2] not in {path.stem for path, _ in documents}:
            yield f"{PAGE}: grid {match[2]}: expected {FOLDER}/{match[2]}.json"
    if page != with_grids(page, folder):
        yield f"{PAGE}: the grids are not those of the recorded files (record.py --table)"
