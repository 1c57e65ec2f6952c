# SPDX-License-Identifier: Apache-2.0
"""What a person adds to the faults of a library: faults/LIBRARY.toml in the folder of pages. Each `[[fault]]` is about one
fault, in all versions of the library:

    requirement, role   the fault: what it breaks, and the library's role ("producer", "consumer" or "runtime")
    title               what goes wrong, in a few words (default: the rule that is not kept)
    upstream            the address of upstream's issue
    searched            where there is none: {in = "owner/name", words = "what was searched", on = 2026-11-29}
    read                what two readers, who do not see each other's answer, say of the failure and the sentence of the
                        standard: "just", "arguable: policy or reason", or "unjust: reason"
    remark              the cause, whose fault it is, related issues; in Markdown
    programs            programs by hand, as paths below recorded/programs
    no_program          why no program shows it, where dlcert's own does not
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Below a folder of pages: what people add.
NOTES = "faults"
ROLES = ("producer", "consumer", "runtime")
READERS = 2
JUDGEMENT = re.compile(r"just|(?:arguable|unjust): \S.*", re.DOTALL)
TYPES = {"requirement": str, "role": str, "title": str, "upstream": str, "searched": dict, "read": list, "remark": str,
         "programs": list, "no_program": str}
SEARCHED = {"in": str, "words": str, "on": datetime.date}


@dataclass(frozen=True)
class Note:
    """What is known of one fault."""

    requirement: str
    role: str
    title: str = ""
    upstream: str = ""
    searched: dict = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    remark: str = ""
    programs: list[str] = field(default_factory=list)
    no_program: str = ""


Notes = dict[tuple[str, str], Note]  # by requirement and role


def file_of(folder: Path, library: str) -> Path:
    return folder / NOTES / f"{library}.toml"


def entries(folder: Path, library: str) -> list[dict]:
    """What a library's file says, as it stands there."""
    path = file_of(folder, library)
    return tomllib.loads(path.read_text(encoding="utf-8")).get("fault", []) if path.exists() else []


def mistakes_of(entry: dict) -> Iterator[str]:
    """What is wrong in one entry."""
    for name in ("requirement", "role"):
        if name not in entry:
            yield f"expected the member {name}"
    for name, value in entry.items():
        if name not in TYPES:
            yield f"expected one of {', '.join(TYPES)} but found {name}"
        elif not isinstance(value, TYPES[name]):
            yield f"{name}: expected a {TYPES[name].__name__}"
    if entry.get("role", ROLES[0]) not in ROLES:
        yield f"role: expected one of {', '.join(ROLES)} but found {entry['role']}"
    if not str(entry.get("upstream", "https://")).startswith("https://"):
        yield f"upstream: expected an address but found {entry['upstream']}"
    searched = entry.get("searched", {})
    if searched and {name: type(value) for name, value in searched.items()} != SEARCHED:
        yield "searched: expected {in = \"owner/name\", words = \"...\", on = DATE}"
    if searched and "upstream" in entry:
        yield "expected either upstream or searched but found both"
    read = entry.get("read", [])
    if len(read) > READERS:
        yield f"read: expected {READERS} judgements but found {len(read)}"
    for judgement in read:
        if not JUDGEMENT.fullmatch(str(judgement)):
            yield f"read: expected \"just\", \"arguable: WHY\" or \"unjust: WHY\" but found {judgement!r}"


def mistakes(folder: Path, library: str) -> Iterator[str]:
    """What is wrong in a library's file, whatever is recorded."""
    seen = set()
    try:
        found = entries(folder, library)
    except tomllib.TOMLDecodeError as error:
        yield f"{NOTES}/{library}.toml: {error}"
        return
    for entry in found:
        key = (entry.get("requirement"), entry.get("role"))
        for mistake in mistakes_of(entry):
            yield f"{NOTES}/{library}.toml: {key[0]} ({key[1]}): {mistake}"
        if key in seen:
            yield f"{NOTES}/{library}.toml: {key[0]} ({key[1]}): expected one entry but found two"
        seen.add(key)


def notes_of(folder: Path, library: str) -> Notes:
    """A library's file without its mistakes: mistakes() names these."""
    try:
        found = entries(folder, library)
    except tomllib.TOMLDecodeError:
        return {}
    return {(entry["requirement"], entry["role"]): Note(**entry) for entry in found if not any(mistakes_of(entry))}


def judged(note: Note) -> str:
    """What the two readers say together: where they differ it is arguable."""
    if len(note.read) < READERS:
        return "not read by two readers yet"
    kinds = {judgement.partition(":")[0] for judgement in note.read}
    reasons = "; ".join(dict.fromkeys(judgement.partition(": ")[2] for judgement in note.read if ":" in judgement))
    if len(kinds) == 1:
        return f"{kinds.pop()}, say both readers" + (f": {reasons}" if reasons else "")
    return f"arguable; the readers differ ({'; '.join(note.read)})"
