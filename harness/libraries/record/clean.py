# SPDX-License-Identifier: Apache-2.0
"""What of a run's results is kept for good: verdicts, messages, counts, evidence, scope and conditions, without what
belongs to the machine that ran it. What is left out is named in the document (`recorded.left_out`)."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

# Of a process: an address of this run says nothing about the next.
ADDRESS = re.compile(r"\b0x(?:5[56]|7[ef])[0-9a-f]{10}\b")
# Folders that are somebody's own, on any machine.
SOMEBODYS = re.compile(r"(?<![\w.<>~-])/(?:home|Users)/[^/\s\"':,;)]+|(?<![\w.<>~-])/(?:root|tmp|var/tmp)(?=/|$|[\s\"':,;)])")
# Where a path can begin that every machine has.
EVERYWHERE = {"bin", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr"}
PATH = re.compile(r"(?<![\w.<>~/:-])/([A-Za-z0-9_.+-]+)/[A-Za-z0-9_.+-]")
# Machines differ in these; a recorded file has none of them.
NOT_RECORDED = re.compile(r"(?<![\w.<>~/:-])/(?:home|Users|root|tmp|var/tmp|work|workspace|mnt|media|opt|srv|run|builds)/")

LEFT_OUT = [
    "members that are zero or empty, where the schema lets them be absent",
    "the checks of a requirement that does not apply, whose reason stands there",
    "the checks of a requirement that is kept, whose counts stand there: cases, those that met the rule, evidence",
    "the time of each check (0)",
    "addresses: 0x(address)",
    "a counterexample's program, which lies in programs/, and its struct in C",
    "size and time of the files, and each shared object: one digest of all",
    "the number of the process that started the run",
]


class MachinePath(ValueError):
    """A path of this machine for which there is no name."""


def names_of(document: dict, more: dict[str, str]) -> list[tuple[str, str]]:
    """(path, name) of the folders of this machine that a document can name; the longest path comes first."""
    names = {tempfile.gettempdir(): "<tmp>", str(Path.home()): "<home>"}
    for file in document.get("identity", {}).get("files", []):
        if file["what"] in ("dlcert", "worker"):
            names[str(Path(file["path"]).parent.parent)] = "<dlcert>"
    python = document.get("python", {}).get("path", "")
    if python and Path(python).parts[1] not in EVERYWHERE:
        names[str(Path(python).parent.parent)] = "<python>"
    for adapter in document.get("adapters", []):
        path = adapter["path"].removeprefix("python:")
        if os.path.isabs(path):
            names.setdefault(str(Path(path).parent), "<adapter>")
    names.update(more)
    return sorted(((path, name) for path, name in names.items() if path not in ("/", ".")),
                  key=lambda pair: -len(pair[0]))


class Cleaner:
    """Replaces what belongs to one machine by names that say what it was."""

    def __init__(self, names: list[tuple[str, str]]):
        self.names = names

    def text(self, text: str, addresses: bool = True) -> str:
        """`text` without paths of this machine, and without addresses if so asked."""
        for path, name in self.names:
            text = re.sub(rf"{re.escape(path)}(?![\w.-])", name, text)
        text = SOMEBODYS.sub("<somebody's>", text)
        for match in PATH.finditer(text):
            if match.group(1) not in EVERYWHERE and Path("/", match.group(1)).exists():
                raise MachinePath(f"a path of this machine: {text[match.start():match.start() + 80]!r}; name it by --path")
        return ADDRESS.sub("0x(address)", text) if addresses else text

    def value(self, value):
        """The same of everything in a value of JSON."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value


def short_identity(identity: dict) -> dict:
    """Without stamps; the shared objects of the worker as one entry, the digest of all their digests."""
    files = [{key: file[key] for key in ("what", "path", "sha256")} for file in identity["files"]]
    modules = sorted(file["sha256"] for file in files if file["what"] == "module")
    kept = [file for file in files if file["what"] != "module"]
    if modules:
        kept.append({"what": "module", "path": f"{len(modules)} shared objects",
                     "sha256": hashlib.sha256("\n".join(modules).encode()).hexdigest()})
    return {**identity, "files": kept}


def short_check(check: dict, required: list[str]) -> dict:
    """What a check says, without what says nothing."""
    check = {**check, "nanoseconds": 0}
    if "counterexample" in check:
        kept = {key: value for key, value in check["counterexample"].items() if key != "recording"}
        check["counterexample"] = {**kept, "program": []}
    if not any(check.get("evidence", {}).values()):
        check.pop("evidence", None)
    return {key: value for key, value in check.items() if key in required or value not in (0, "", [], {}, False)}


def counts_of(checks: list[dict]) -> dict:
    """What the checks of a requirement that is kept did, all together."""
    counts = {name: sum(check.get(name, 0) for check in checks) for name in ("cases", "met")}
    evidence = {name: sum(check.get("evidence", {}).get(name, 0) for check in checks)
                for name in ("made", "handed_over", "found", "by_export")}
    return {**counts, "evidence": evidence} if any(evidence.values()) else counts


def short_result(result: dict, required: list[str]) -> dict:
    """A requirement's result: with its checks where one says more than that it passed or does not apply."""
    if result["verdict"] == "pass" and result["checks"]:
        return {**result, "counts": counts_of(result["checks"]), "checks": []}
    checks = [] if result["verdict"] == "not applicable" else result["checks"]
    return {**result, "checks": [short_check(check, required) for check in checks]}


def kept_of(document: dict, schema: dict, cleaner: Cleaner, facts: dict) -> dict:
    """The recorded form of a run's results: valid against the same schema; `facts` is its member `recorded`."""
    required = schema["$defs"]["check"]["required"]
    kept = {**document, "invoker": "", "recorded": {**facts, "left_out": LEFT_OUT}}
    if "identity" in kept:
        kept["identity"] = short_identity(kept["identity"])
    kept["results"] = [short_result(result, required) for result in document["results"]]
    return cleaner.value(kept)
