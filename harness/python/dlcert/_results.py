# SPDX-License-Identifier: Apache-2.0
"""What a run found, as dlcert's results and JUnit files say it. Nothing is judged here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlcert import _html
from dlcert._error import DlcertError
from dlcert._junit import Reported, read_junit

_OWN = "dlcert"  # the name of dlcert's own side


@dataclass(frozen=True)
class Library:
    """A library, as its adapter names it."""

    name: str
    version: str
    adapter: str  # as on the command line


@dataclass(frozen=True)
class Verdict:
    """The verdict on one requirement, of a library in one role or of two libraries."""

    requirement: str
    area: str
    level: str  # "MUST", "SHOULD" or "MAY"
    producer: str  # a library; "dlcert" is dlcert's own side
    consumer: str  # a library, or "dlcert"; empty for a library in the role runtime
    verdict: str  # "pass", "fail", "crash", "consequence", ...: see verdicts.md
    outcome: str  # what it is for the exit code: "passed", "warning", "skipped" or "failed"
    message: str  # one line: what was expected and found, or the reason; empty: it passed
    details: str  # the smallest input, the rule and the command that repeats it; can be empty
    cases: int  # that ran
    binding: bool  # a failure makes the exit code 1
    consequence_of: str  # the owner, a requirement; empty: it is no consequence
    waiver: str  # "waivers.toml:7": the waiver that names it; empty: none does

    @property
    def library(self) -> str:
        """The library that is judged; of two, the producer."""
        return self.consumer if self.producer == _OWN else self.producer

    @property
    def role(self) -> str:
        """The role of `library`: "producer", "consumer" or "runtime"."""
        if self.producer == _OWN:
            return "consumer"
        return "producer" if self.consumer else "runtime"

    @property
    def sides(self) -> str:
        """The side or sides that are judged: "numpy as producer", "numpy to acme"."""
        if self.consumer not in ("", _OWN) and self.producer != _OWN:
            return f"{self.producer} to {self.consumer}"
        return f"{self.library} as {self.role}"

    def __str__(self) -> str:
        text = f"{self.requirement}  {self.verdict}  {self.sides}"
        return f"{text}: {self.message}" if self.message else text


@dataclass(frozen=True)
class Fault:
    """A requirement that a library broke, with the requirements that fail by it."""

    id: str  # the same in runs with other seeds
    requirement: str
    producer: str
    consumer: str
    counts: bool  # it changes the exit code
    consequences: tuple[str, ...]  # requirements

    def __str__(self) -> str:
        return self.id if self.counts else f"{self.id} (a warning)"


@dataclass(frozen=True)
class Role:
    """What was tested of a library in a role."""

    library: str
    role: str
    evidence: int  # values that arrived, and were compared
    core: tuple[int, int] | None  # tested requirements of the core features, of how many


@dataclass(frozen=True)
class Feature:
    """How much of a feature of a library was tested."""

    library: str
    role: str
    feature: str
    coverage: str  # "full", "partial" or "not claimed"
    tested: int
    failed: int
    of: int


@dataclass(frozen=True)
class Loss:
    """What one library does not get from another."""

    requirement: str
    how: str  # "refused", "failed", "crash", "timeout"
    fault: str  # "producer", "consumer", "both", "untold" or "none"
    text: str


@dataclass(frozen=True)
class Cell:
    """What a producer hands to a consumer."""

    producer: str
    consumer: str
    state: str  # "full", "partial", "broken", ...: see matrix.md
    found: int  # combinations of dtype and layout that arrived right
    refused: int
    failed: int
    losses: tuple[Loss, ...]
    reason: str  # of a cell without an exchange

    def __str__(self) -> str:
        return f"{self.state} {self.found}/{self.found + self.refused + self.failed}"


@dataclass(frozen=True)
class Run:
    """What a run found. `document` is its results file, `report` what dlcert printed."""

    exit_code: int
    reasons: tuple[str, ...]  # of the exit code, the decisive first
    libraries: tuple[Library, ...]
    verdicts: tuple[Verdict, ...]
    faults: tuple[Fault, ...]
    report: str = field(repr=False)
    document: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def conclusion(self) -> str:
        """The end of the report: "certified: numpy 2.4.6 (3 warnings)"."""
        lines = self.report.rstrip().splitlines()
        first = next((at for at in reversed(range(len(lines))) if not lines[at].startswith(" ")), 0)
        return "\n".join(lines[first:])


@dataclass(frozen=True)
class Certification(Run):
    """What certify() found."""

    roles: tuple[Role, ...]
    features: tuple[Feature, ...]

    @property
    def certified(self) -> bool:
        """Whether the library is certified. A selection of requirements certifies nothing."""
        return self.exit_code == 0 and not self.document["filtered"]

    def __str__(self) -> str:
        return "\n".join([self.conclusion, *(f"  {fault}" for fault in self.faults)])

    def _repr_html_(self) -> str:
        return _html.certification(self)


@dataclass(frozen=True)
class Matrix(Run):
    """What matrix() found: a cell for each producer with each consumer."""

    cells: tuple[Cell, ...]

    def cell(self, producer: str, consumer: str) -> Cell:
        """The cell of two libraries, by their names. Raises KeyError for an unknown pair."""
        for cell in self.cells:
            if (cell.producer, cell.consumer) == (producer, consumer):
                return cell
        raise KeyError((producer, consumer))

    def __str__(self) -> str:
        return "\n".join([self.conclusion, *(f"  {cell.producer} to {cell.consumer}: {cell}"
                                             for cell in self.cells)])

    def _repr_html_(self) -> str:
        return _html.matrix(self)


def read_certification(results: Path, junit: Path, report: str = "") -> Certification:
    """Reads what `dlcert certify` wrote. Raises DlcertError if a file is missing or damaged."""
    try:
        common, scope = _common(results, junit, report)
        return Certification(
            **common,
            roles=tuple(Role(one["adapter"], one["role"], one["evidence"]["found"],
                             (one["core"]["tested"], one["core"]["of"]) if "core" in one else None)
                        for one in scope["roles"]),
            features=tuple(Feature(one["adapter"], one["role"], one["feature"], one["coverage"],
                                   one["tested"], one["failed"], one["of"])
                           for one in scope["features"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DlcertError(f"cannot read the results in {results}: {error!r}") from error


def read_matrix(results: Path, junit: Path, report: str = "") -> Matrix:
    """Reads what `dlcert matrix` wrote. Raises DlcertError if a file is missing or damaged."""
    try:
        common, _ = _common(results, junit, report)
        return Matrix(**common, cells=tuple(map(_cell, common["document"]["matrix"]["cells"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DlcertError(f"cannot read the results in {results}: {error!r}") from error


def _common(results: Path, junit: Path, report: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The members of each Run, and the scope. `exit_code` is missing if the run did not end."""
    document = json.loads(results.read_text(encoding="utf-8"))
    reported = read_junit(junit)
    return {
        "exit_code": document["exit_code"],
        "reasons": tuple(document["reasons"]),
        "libraries": tuple(Library(one["name"], one["version"], one["path"])
                           for one in document["adapters"]),
        "verdicts": tuple(_verdict(one, reported) for one in document["results"]),
        "faults": tuple(Fault(one["id"], one["requirement"], one["producer"], one["consumer"],
                              one["counts"], tuple(one["consequences"]))
                        for one in document["faults"]),
        "report": report,
        "document": document,
    }, document["scope"]


def _verdict(result: dict[str, Any], cases: dict[tuple[str, str], Reported]) -> Verdict:
    reported = cases[f"dlcert {result['producer']} to {result['consumer']}", result["requirement"]]
    return Verdict(
        result["requirement"], reported.area, result["level"], result["producer"],
        result["consumer"], result["verdict"], reported.outcome, reported.message, reported.details,
        sum(check["cases"] for check in result["checks"]), result["binding"],
        result.get("consequence_of", ""), result["waiver"])


def _cell(cell: dict[str, Any]) -> Cell:
    losses = tuple(Loss(one["requirement"], one["how"], one["fault"], one["text"])
                   for one in cell["losses"])
    return Cell(cell["producer"], cell["consumer"], cell["state"], cell["found"], cell["refused"],
                cell["failed"], losses, cell["reason"])
