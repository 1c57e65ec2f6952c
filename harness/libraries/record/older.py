# SPDX-License-Identifier: Apache-2.0
"""Versions of which no more is kept than a verdict for each requirement: all but the newest two of a library, and those that
pages speak of. A library's file is recorded/LIBRARY.verdicts.json, from which the table of versions has their columns."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from places import RECORDED, VERDICTS, dumped, is_outcome, name_of, recorded, stem_of, write
from table import FAILED, version_key

NEWEST = 2
# The release that the rules on runtimes describe.
ALSO_WHOLE = {"torch": ["2.4.1"]}
# What a document says of its conditions, which the short form keeps.
CONDITIONS = ("started", "cases", "seed", "dlcert_version", "exit_code")


def verdict_of(results: list[dict]) -> str:
    """One verdict for a requirement, of all its roles; a failure of what is weaker than a MUST is a warning."""
    verdicts = [result["verdict"] for result in results]
    failed = [verdict for verdict in FAILED if verdict in verdicts]
    if failed:
        return failed[0] if results[0]["level"] == "MUST" else "warning"
    left = set(verdicts) - {"not applicable"}
    return next(iter(sorted(left - {"pass"})), "pass") if left else "not applicable"


def by_requirement(document: dict) -> dict[str, list[dict]]:
    results: dict[str, list[dict]] = {}
    for result in document["results"]:
        results.setdefault(result["requirement"], []).append(result)
    return results


def short(document: dict) -> dict:
    """The short form of a recorded certification."""
    verdicts = {name: verdict_of(results) for name, results in by_requirement(document).items()}
    return {"version": name_of(document)[1], **{name: document[name] for name in CONDITIONS},
            "machine": document["recorded"]["machine"],
            "verdicts": {name: verdict for name, verdict in verdicts.items() if verdict != "not applicable"}}


def file_of(folder: Path, library: str) -> Path:
    return folder / RECORDED / f"{library}{VERDICTS}"


def read(folder: Path, library: str) -> list[dict]:
    """The short forms of a library, the oldest version first."""
    file = file_of(folder, library)
    return json.loads(file.read_text(encoding="utf-8"))["versions"] if file.exists() else []


def to_shorten(folder: Path, library: str) -> list[tuple[Path, dict]]:
    """The certifications of a library of which too much is kept."""
    found = [(path, document) for path, document in recorded(folder) if name_of(document)[0] == library]
    found.sort(key=lambda pair: version_key(name_of(pair[1])[1]))
    whole = ALSO_WHOLE.get(library, [])
    return [(path, document) for path, document in found[:-NEWEST]
            if not is_outcome(document) and name_of(document)[1].split("+")[0] not in whole]


def shorten(folder: Path, library: str) -> None:
    """Keeps the short form alone of a library's older versions."""
    versions = {version["version"]: version for version in read(folder, library)}
    for path, document in to_shorten(folder, library):
        versions[name_of(document)[1]] = short(document)
        shutil.rmtree(folder / RECORDED / "programs" / path.stem, ignore_errors=True)
        path.unlink()
    for path, document in recorded(folder):  # one that was recorded again is whole again
        if name_of(document)[0] == library:
            versions.pop(name_of(document)[1], None)
    if versions:
        ordered = sorted(versions.values(), key=lambda version: version_key(version["version"]))
        write(file_of(folder, library), dumped({"library": library, "versions": ordered}) + "\n")


def update(folder: Path) -> None:
    """Shortens the older versions of each library of a folder."""
    for library in sorted({name_of(document)[0] for _, document in recorded(folder)}):
        shorten(folder, library)


def judge(folder: Path) -> Iterator[str]:
    """What is kept of older versions although it should not be, or twice."""
    libraries = {name_of(document)[0] for _, document in recorded(folder)}
    for library in sorted(libraries):
        for path, _ in to_shorten(folder, library):
            yield f"{path.name}: expected a verdict for each requirement alone, in {library}{VERDICTS} (record.py --table)"
        for version in read(folder, library):
            if (folder / RECORDED / f"{stem_of(library, version['version'])}.json").exists():
                yield f"{library}{VERDICTS}: {version['version']} is recorded whole, too"
    for path in sorted((folder / RECORDED).glob(f"*{VERDICTS}")):
        if path.name.removesuffix(VERDICTS) not in libraries:
            yield f"{path.name}: expected certifications of {path.name.removesuffix(VERDICTS)} beside it"
