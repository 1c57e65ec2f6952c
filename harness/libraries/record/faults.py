# SPDX-License-Identifier: Apache-2.0
"""The faults that certifications of a library show: a requirement that it broke, with all that fails by that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import notes
from places import FAULTS, RECORDED, is_outcome, name_of, recorded, stem_of
from rules import requirements
from table import FAILED, version_key

OWN = "dlcert"  # the other side of each exchange


@dataclass(frozen=True)
class Fault:
    """A fault in one recorded certification."""

    stem: str  # of its files
    result: dict  # of the broken requirement
    consequences: list[str]  # requirements that fail by it
    counts: bool  # it, or what fails by it, keeps the library from a certificate

    @property
    def requirement(self) -> str:
        return self.result["requirement"]

    @property
    def role(self) -> str:
        if not self.result["consumer"]:
            return "runtime"
        return "consumer" if self.result["producer"] == OWN else "producer"

    @property
    def key(self) -> tuple[str, str]:
        return self.requirement, self.role

    @property
    def is_full(self) -> bool:
        """Whether its page tells it at length."""
        return self.counts or self.result["level"] == "MUST"

    @property
    def checks(self) -> list[dict]:
        """The checks that show it: no other requirement explains them, if there are such."""
        broken = [check for check in self.result["checks"] if check["verdict"] in FAULTS]
        return [check for check in broken if "consequence" not in check] or broken

    @property
    def check(self) -> dict:
        """The check that shows it best: one with a confirmed program. Empty: it failed without a check."""
        checks = self.checks
        return next((check for check in checks if state_of(check) == "confirmed"), checks[0] if checks else {})

    def file_name(self, check: dict) -> str:
        """The name of what was saved of a check, without its ending."""
        numbered = [one for one in self.result["checks"] if "counterexample" in one]
        number = next((i for i, one in enumerate(numbered, 1) if one is check), 1)
        base = f"{self.requirement}-{self.result['producer']}-{self.result['consumer']}"
        return base if number == 1 else f"{base}-{number}"


def state_of(check: dict) -> str:
    """Whether its program showed the fault. Empty: there is none."""
    return check.get("program_run", {}).get("state", "")


def tells_faults(document: dict) -> bool:
    """Whether the results say which failures are consequences: older ones do not."""
    return "faults" in document


def faults_of(document: dict) -> list[Fault]:
    """The faults in the order of the results: those that count come first."""
    stem = stem_of(*name_of(document))
    by_parties = {(one["requirement"], one["producer"], one["consumer"]): one for one in document["results"]}
    if tells_faults(document):
        found = [(by_parties[fault["requirement"], fault["producer"], fault["consumer"]], fault) for fault in document["faults"]]
        faults = [Fault(stem, result, list(dict.fromkeys(fault["consequences"])), fault["counts"]) for result, fault in found]
    else:
        broken = [result for result in document["results"] if result["verdict"] in FAULTS]
        faults = [Fault(stem, result, [], result["level"] == "MUST" and result["verdict"] in FAILED) for result in broken]
    return sorted(faults, key=lambda fault: not fault.is_full)


def certifications(folder: Path, library: str) -> list[dict]:
    """All that is recorded in full of a library, the newest version first."""
    found = (json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / RECORDED).glob(f"{library}-*.json")))
    documents = [document for document in found if not is_outcome(document) and name_of(document)[0] == library]
    return sorted(documents, key=lambda document: version_key(name_of(document)[1]), reverse=True)


def libraries(folder: Path) -> list[str]:
    """Each library with a certification in full."""
    return sorted({name_of(document)[0] for _, document in recorded(folder) if not is_outcome(document)})


def title_of(fault: Fault, note: notes.Note | None) -> str:
    """What goes wrong, in a few words: a person's, or else the rule that is not kept."""
    if note and note.title:
        return note.title
    sentence = fault.check.get("sentence", "")
    if not sentence or sentence.endswith(" is recorded"):
        rule = requirements().get(fault.requirement)
        sentence = rule["statement"].partition(". ")[0].rstrip(".") if rule else fault.requirement
    return f"Not kept: {sentence}"


def programs_of(folder: Path, fault: Fault, note: notes.Note | None) -> list[Path]:
    """Its programs, the one to look at first: of a person, if dlcert's own do not show the fault."""
    programs = folder / RECORDED / "programs"
    checks = sorted(fault.checks, key=lambda check: check is not fault.check)
    saved = [programs / fault.stem / (fault.file_name(check) + ending) for check in checks for ending in (".py", ".c")]
    ours = [path for path in saved if path.exists()]
    by_hand = [programs / name for name in (note.programs if note else []) if (programs / name).exists()]
    return [*ours, *by_hand] if state_of(fault.check) == "confirmed" else [*by_hand, *ours]


def needs_reason(fault: Fault, note: notes.Note) -> bool:
    """Whether nothing says why no program shows a fault: of one that was not run, the results do."""
    return state_of(fault.check) not in ("confirmed", "not run") and not (note.programs or note.no_program)


def missing(document: dict, known: notes.Notes) -> Iterator[str]:
    """What a person has still to add to the faults that count in a certification."""
    library, version = name_of(document)
    for fault in faults_of(document):
        note, where = known.get(fault.key), f"{notes.NOTES}/{library}.toml: {fault.requirement} ({fault.role}) of {version}"
        if not fault.is_full:
            continue
        if note is None:
            yield f"{where}: expected an entry"
            continue
        if not note.upstream and not note.searched:
            yield f"{where}: expected upstream, or searched"
        if len(note.read) < notes.READERS:
            yield f"{where}: expected {notes.READERS} judgements in read but found {len(note.read)}"
        if needs_reason(fault, note):
            yield f"{where}: expected programs, or no_program: dlcert's own does not show it"


def stray(folder: Path, library: str, documents: list[dict], older: list[dict]) -> Iterator[str]:
    """Entries without a fault, and programs by hand that are not there."""
    keys = {fault.key for document in documents for fault in faults_of(document)}
    failed = {name for version in older for name, verdict in version["verdicts"].items() if verdict in (*FAILED, "warning")}
    for key, note in notes.notes_of(folder, library).items():
        where = f"{notes.NOTES}/{library}.toml: {key[0]} ({key[1]})"
        if key not in keys and key[0] not in failed:
            yield f"{where}: expected a recorded fault"
        for name in note.programs:
            if not (folder / RECORDED / "programs" / name).exists():
                yield f"{where}: expected the program {name}"


def judge(folder: Path, library: str, older: list[dict]) -> Iterator[str]:
    """What is wrong with what people added to a library's faults, if its results tell faults."""
    yield from notes.mistakes(folder, library)
    documents = certifications(folder, library)
    if not all(map(tells_faults, documents)):
        return
    known = notes.notes_of(folder, library)
    for document in documents:
        yield from missing(document, known)
    noted = {requirement for requirement, _ in known}
    for version in older:
        for name, verdict in version["verdicts"].items():
            if verdict in FAILED and name not in noted:
                yield f"{notes.NOTES}/{library}.toml: {name} of {version['version']}: expected an entry"
    yield from stray(folder, library, documents, older)
