# SPDX-License-Identifier: Apache-2.0
"""What must hold of everything recorded: what is wrong, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fault_pages
import faults
import matrix
import notes
import older
import picture
from clean import NOT_RECORDED
from places import BY_HAND, FAULTS, RECORDED, SCHEMAS, is_outcome, name_of, recorded, stem_of
from table import with_table
import versions


def against_schema(name: str, document: dict) -> Iterator[str]:
    """What the schema of results, or of cells that came to none, does not allow."""
    from jsonschema import Draft202012Validator

    schema = "outcome.schema.json" if is_outcome(document) else "results.schema.json"
    validator = Draft202012Validator(json.loads((SCHEMAS / schema).read_text(encoding="utf-8")))
    for error in validator.iter_errors(document):
        yield f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def missing_programs(folder: Path, document: dict) -> Iterator[str]:
    """Confirmed programs that are not there."""
    stem = stem_of(*name_of(document))
    names = [path.name for path in (folder / RECORDED / "programs" / stem).glob("*") if path.suffix in (".py", ".c")]
    for result in document["results"]:
        confirmed = sum(check.get("program_run", {}).get("state") == "confirmed" for check in result["checks"])
        party = f"{result['requirement']}-{result['producer']}-{result['consumer']}".rstrip("-")
        found = sum(name.startswith(party) for name in names)
        if found < confirmed:
            yield f"{stem}.json: {result['requirement']}: expected {confirmed} confirmed programs but found {found}"


def wrong_faults(folder: Path) -> Iterator[str]:
    """Pages that do not tell the faults as they are, and what people have still to add."""
    known = faults.libraries(folder)
    for library in known:
        yield from faults.judge(folder, library, older.read(folder, library))
        page = folder / f"{library}.md"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        if page.exists() and fault_pages.BEGIN not in text:
            yield f"{page.name}: expected the line {fault_pages.BEGIN}"
        elif text != fault_pages.with_faults(text, library, folder):
            yield f"{page.name}: the faults are not those of the recorded files (record.py --table)"
    for path in sorted((folder / notes.NOTES).glob("*.toml")):
        if path.stem not in known:
            yield f"{notes.NOTES}/{path.name}: expected certifications of {path.stem}"


def wrong_names(folder: Path, path: Path, document: dict) -> Iterator[str]:
    """A file that is not called as what it holds, or a library that nobody has read."""
    library, version = name_of(document)
    if path.stem != stem_of(library, version):
        yield f"{path.name}: expected the name {stem_of(library, version)}.json"
    if not is_outcome(document) and not (folder / f"{library}.md").exists():
        yield f"{path.name}: expected a page {library}.md"


def machine_paths(folder: Path) -> Iterator[str]:
    """Lines that name a folder of somebody's machine."""
    for path in sorted(folder.rglob("*")):
        is_program = {"programs", "matrix"} & set(path.parts) and path.suffix == ".py"
        if path.suffix in (".json", ".md", ".c") or is_program:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if match := NOT_RECORDED.search(line):
                    yield f"{path.relative_to(folder)}:{number}: a path of a machine: {line[match.start():][:60]}"


def stray_programs(folder: Path, documents: dict[str, dict]) -> Iterator[str]:
    """Programs of faults that are not recorded, and programs by hand that no page links to."""
    for path in sorted((folder / RECORDED / "programs").glob("*/")):
        if path.name not in documents:
            yield f"{RECORDED}/programs/{path.name}: expected {path.name}.json beside it"
            continue
        faulty = {result["requirement"] for result in documents[path.name].get("results", []) if any(
            check["verdict"] in FAULTS for check in result["checks"])}
        for program in sorted(path.glob("*-*.*")):
            if BY_HAND not in program.name and program.suffix in (".py", ".c") \
                    and not any(program.name.startswith(f"{requirement}-") for requirement in faulty):
                yield f"{RECORDED}/programs/{path.name}/{program.name}: {path.name}.json records no fault of that requirement"
    pages = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.md"))
    for path in sorted((folder / RECORDED / "programs").glob(f"*/*{BY_HAND}.*")):
        if f"{RECORDED}/programs/{path.parent.name}/{path.name}" not in pages:
            yield f"{RECORDED}/programs/{path.parent.name}/{path.name}: expected a page that leads to it"


def judge(folder: Path) -> Iterator[str]:
    """Everything that is wrong in a folder of recorded certifications."""
    documents = recorded(folder)
    if not documents:
        yield "expected recorded certifications but found none"
    for path, document in documents:
        yield from against_schema(path.name, document)
        yield from wrong_names(folder, path, document)
        if not is_outcome(document):
            yield from missing_programs(folder, document)
    yield from wrong_faults(folder)
    yield from matrix.judge(folder)
    yield from older.judge(folder)
    yield from machine_paths(folder)
    yield from stray_programs(folder, {path.stem: document for path, document in documents})
    page = (folder / "README.md").read_text(encoding="utf-8")
    if page != with_table(page, folder):
        yield "README.md: the table is not that of the recorded files (record.py --table)"
    drawn = folder / picture.NAME
    if not drawn.exists() or drawn.read_text(encoding="utf-8") != picture.picture(folder):
        yield f"{picture.NAME}: the picture is not that of the recorded files (record.py --table)"
    for path in versions.pages(folder):
        page = path.read_text(encoding="utf-8")
        if page != versions.with_table(page, path.stem, folder):
            yield f"{path.name}: the table of versions is not that of the recorded files (record.py --table)"
