# SPDX-License-Identifier: Apache-2.0
"""The table of README.md, made from everything that is recorded."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from places import FAULTS, RECORDED, is_outcome, name_of, recorded, write

BEGIN, END = "<!-- recorded: begin -->", "<!-- recorded: end -->"
HEADER = ["library", "version", "verdict", "MUST kept / failed", "SHOULD, MAY kept / warnings",
          "programs confirmed / not / not run", "seconds", "conditions"]
FAILED = ("fail", "crash", "timeout")


def version_key(version: str) -> list:
    """Versions in the order in which they came out."""
    return [(1, int(part)) if part.isdigit() else (0, part) for part in re.findall(r"\d+|[a-z]+", version.lower())]


def cell(text: str) -> str:
    """Text that is safe in a cell of a table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()


def verdict_of(document: dict) -> str:
    """In a few words."""
    if document["exit_code"] == 0:
        return "certified"
    return document["reasons"][0].split(":")[0] if document["reasons"] else f"exit code {document['exit_code']}"


def shares(results: list[dict], levels: tuple[str, ...]) -> str:
    """How many requirements of these levels are kept and not; what is neither is named."""
    verdicts = Counter(result["verdict"] for result in results if result["level"] in levels)
    text = f"{verdicts.pop('pass', 0)} / {sum(verdicts.pop(verdict, 0) for verdict in FAILED)}"
    verdicts.pop("not applicable", None)
    return ", ".join([text, *(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))])


def programs(results: list[dict]) -> str:
    """What became of the programs of checks that show a fault."""
    states = Counter(check["program_run"]["state"] for result in results for check in result["checks"]
                     if check["verdict"] in FAULTS and "program_run" in check)
    return " / ".join(str(states[state]) for state in ("confirmed", "not confirmed without dlcert", "not run"))


def conditions(document: dict) -> str:
    """When, with what, on what, and what else is to be said."""
    facts = document["recorded"]
    python = f"CPython {document['python']['version']}" if "python" in document else ""
    cases = f"{document['cases']:,} cases"
    return cell(", ".join(filter(None, [document["started"][:10], python, cases, facts["machine"], facts.get("note")])))


def row_of(path: Path, document: dict) -> list[str]:
    """A row of the table; the library leads to its page, the version to what is recorded."""
    library, version = name_of(document)
    name = f"[{library}]({library}.md)" if (path.parent.parent / f"{library}.md").exists() else library
    version = f"[{cell(version)}]({RECORDED}/{path.name})"
    if is_outcome(document):
        facts = [document["when"][:10], document.get("python", ""), document["machine"], document.get("note", "")]
        return [name, version, f"none, {document['stage']}: {cell(document['reason'])[:160]}", "", "", "", "",
                cell(", ".join(filter(None, facts)))]
    results = document["results"]
    return [name, version, verdict_of(document), shares(results, ("MUST",)), shares(results, ("SHOULD", "MAY")),
            programs(results), f"{document['seconds']:.1f}", conditions(document)]


def table(folder: Path) -> str:
    """The whole table, in Markdown: by library, the newest version first."""
    documents = sorted(recorded(folder), key=lambda pair: version_key(name_of(pair[1])[1]), reverse=True)
    documents.sort(key=lambda pair: name_of(pair[1])[0])
    align = ["---"] * 6 + ["---:", "---"]
    rows = [HEADER, align, *(row_of(path, document) for path, document in documents)]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def with_table(page: str, folder: Path) -> str:
    """README's text with the table that belongs there now."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table(folder)}\n{END}{rest.split(END)[1]}"


def update(folder: Path) -> None:
    """Writes the table of a folder's README.md."""
    readme = folder / "README.md"
    if not readme.exists():
        write(readme, f"# Recorded certifications\n\n{BEGIN}\n{END}\n")
    write(readme, with_table(readme.read_text(encoding="utf-8"), folder))
