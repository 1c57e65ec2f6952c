# SPDX-License-Identifier: Apache-2.0
"""Results files as dlcert writes them, and a program that writes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

PROGRAM = """#!{python}
import json, shutil, sys
from pathlib import Path

folder = Path({folder!r})
run = json.loads((folder / "run.json").read_text())
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
for argument in sys.argv:
    name, _, value = argument.partition("=")
    if name in ("--results", "--junit"):
        shutil.copyfile(folder / name[2:], value)
print(run["report"])
print(run["errors"], file=sys.stderr)
sys.exit(run["exit_code"])
"""
# The element of JUnit for a verdict, or the property of a warning.
SHOWN = {"passed": "", "failed": "<failure message={0}>details of it</failure>",
         "errored": "<error message={0}>details of it</error>", "skipped": "<skipped message={0} />",
         "warning": '<properties><property name="warning" value={0} /></properties>'
                    "<system-out>details of it</system-out>"}


class Recorded:
    """The results of acme 1.0, a library in Python. `folder` has them and the program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "dlcert"
        self.program.write_text(PROGRAM.format(python=sys.executable, folder=str(folder)))
        self.program.chmod(0o755)
        self.document: dict[str, Any] = {
            "complete": True, "exit_code": 0, "reasons": [], "filtered": False, "results": [],
            "adapters": [{"name": "acme", "version": "1.0", "path": "python:./acme.py"}],
            "scope": {"roles": [], "features": []}, "faults": []}
        self.suites: dict[str, str] = {}
        self.ends("certified: acme 1.0")

    def add(self, requirement: str, verdict: str, outcome: str, message: str = "", *,
            level: str = "MUST", area: str = "capsule", producer: str = "acme",
            consumer: str = "dlcert", **members: Any) -> None:
        """Adds a verdict, and what JUnit says of it."""
        self.document["results"].append(
            {"requirement": requirement, "producer": producer, "consumer": consumer, "level": level,
             "binding": level == "MUST", "verdict": verdict, "reason": "", "waiver": "",
             "checks": [{"cases": 7}], **members})
        sides = f"{producer} to {consumer}"
        self.suites[sides] = self.suites.get(sides, "") + (
            f'<testcase classname="dlcert.{producer}-{consumer}.{area}" name="{requirement}">'
            f"{SHOWN[outcome].format(quoteattr(message))}</testcase>")
        self.write()

    def ends(self, report: str, exit_code: int = 0, reasons: tuple[str, ...] = (),
             errors: str = "") -> None:
        """Lets the run end with this report, exit code, reasons and standard error."""
        self.document.update(exit_code=exit_code, reasons=list(reasons))
        (self.folder / "run.json").write_text(
            json.dumps({"report": report, "exit_code": exit_code, "errors": errors}))
        self.write()

    def write(self) -> None:
        """Writes the files that the program copies: results and junit."""
        (self.folder / "results").write_text(json.dumps(self.document))
        suites = "".join(f'<testsuite name="dlcert {sides}">{cases}</testsuite>'
                         for sides, cases in self.suites.items())
        (self.folder / "junit").write_text(f'<testsuites name="dlcert">{suites}</testsuites>')

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of each call of the program."""
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
