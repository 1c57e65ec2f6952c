# SPDX-License-Identifier: Apache-2.0
"""The part of a library's page that lists its faults, made from what is recorded and from what people added (notes.py)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import notes
import older
from faults import Fault, certifications, faults_of, programs_of, state_of, title_of
from notes import Note, Notes
from places import RECORDED, name_of, stem_of, write
from rules import requirements
from snippet import SHOWN, snippet
from table import FAILED, cell, conditions, verdict_of

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
NAMES = "[The names in the programs](README.md#names-in-the-programs)."
DOING = {"producer": "an export", "consumer": "an import", "runtime": "the devices"}
MARKED = re.compile(r"([\\*_\[\]<>|`])")
NO_NOTE = Note("", "")


def plain(text: str) -> str:
    """Text in which Markdown sees no marks."""
    return MARKED.sub(r"\\\1", " ".join(text.split()))


def count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def anchor_of(heading: str) -> str:
    """The name by which a link leads to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def happened(fault: Fault) -> str:
    """What was measured."""
    check = fault.check
    text = check.get("message") or check.get("reason") or fault.result["reason"]
    text = re.sub(r" in case \d+$", "", text.partition("\n")[0])
    signal, _, place = check.get("signature", "").partition(" ")  # "SIGSEGV in libacme.so+0x1234"
    return f"{text} {place}" if place and text.endswith(signal) else text


def rule_link(link: str) -> str:
    """A link to a sentence, named by its file and lines."""
    file, _, lines = link.rpartition("/")[2].partition("#L")
    first, _, last = lines.partition("-L")
    where = f", lines {first} to {last}" if last else f", line {first}" if first else ""
    return f"[{file}{where}]({link})"


def statement_of(requirement: str) -> str:
    """What a requirement says."""
    return plain(requirements()[requirement]["statement"]) if requirement in requirements() else "not in the register any more"


def standard(requirement: str) -> Iterator[str]:
    """The sentences and the code on which a requirement rests."""
    rule = requirements().get(requirement)
    if rule is None:
        yield "The requirement is not in dlcert's register any more."
        return
    for quote in rule.get("quotes", []):
        yield f"> {plain(quote['text'])}\n>\n> {rule_link(quote['link'])}"
    for place in rule.get("code", []):
        yield f"`{place['function']}`, {rule_link(place['link'])}"
    for cited in rule.get("cited", []):
        yield plain(cited)
    if not (rule.get("quotes") or rule.get("code") or rule.get("cited")):
        yield f"No sentence demands it. Source: {plain(rule['source'])}"
    if rule.get("follows"):
        yield f"The rule follows: {plain(rule['follows'])}"


def short_standard(requirement: str) -> str:
    """The same as links alone."""
    rule = requirements().get(requirement, {})
    links = [rule_link(place["link"]) for place in (*rule.get("quotes", []), *rule.get("code", []))]
    return ", ".join(dict.fromkeys(links)) or plain(rule.get("source", ""))


def upstream(note: Note) -> str:
    if note.upstream:
        return f"<{note.upstream}>"
    if note.searched:
        return f"none found in {note.searched['in']} (searched: {note.searched['words']}; {note.searched['on']})"
    return "not searched yet"


def linked(path: Path, folder: Path, text: str) -> str:
    return f"[{text}]({Path(os.path.relpath(path, folder)).as_posix()})"


def whole_programs(folder: Path, programs: list[Path]) -> str:
    """Links to the programs."""
    return ", ".join(linked(path, folder, "program" if number == 1 else str(number)) for number, path in enumerate(programs, 1))


def why_no_program(fault: Fault, note: Note) -> str:
    """Why there is none, or why it does not show the fault."""
    state = state_of(fault.check)
    reason = fault.check.get("program_run", {}).get("reason", "").removeprefix("no program: ")
    if note.no_program or not state:
        return note.no_program or "dlcert wrote no program."
    return f"dlcert's program was {state}: {plain(reason)}." if state != "confirmed" else ""


def calls_of(fault: Fault) -> str:
    """The calls that show a fault, in the place of a program."""
    trace = fault.check.get("counterexample", {}).get("trace", [])
    more = [f"... ({len(trace) - SHOWN} more lines)"] if len(trace) > SHOWN else []
    body = "\n".join([*trace[:SHOWN], *more]).replace("\\012", "\n    ")
    return f"The calls, in their order:\n\n```text\n{body}\n```" if body else ""


def shown(folder: Path, fault: Fault, note: Note) -> Iterator[str]:
    """How to see the fault: the smallest program, or the calls; and where the whole lies."""
    programs = programs_of(folder, fault, note)
    small = next(filter(None, map(snippet, programs)), "")
    no_program = why_no_program(fault, note)
    if small:
        yield small.rstrip()
    elif not programs:
        yield calls_of(fault)
    text = folder / RECORDED / "programs" / fault.stem / f"{fault.file_name(fault.check)}.md"
    whole = f"The whole {whole_programs(folder, programs)}." if programs else ""
    filed = f"A {linked(text, folder, 'text to file upstream')}." if text.exists() else ""
    yield " ".join(filter(None, [whole, filed, no_program]))


def blocks_of(folder: Path, fault: Fault, note: Note) -> Iterator[str]:
    """A fault in full, below its heading."""
    yield f"{fault.result['level']} for {DOING[fault.role]}, `{fault.requirement}`: {statement_of(fault.requirement)}"
    yield f"**What happens**\n\n```text\n{happened(fault)}\n```"
    yield from shown(folder, fault, note)
    yield "**The standard**"
    yield from standard(fault.requirement)
    if note.remark:
        yield f"**Note**: {note.remark}"
    yield f"**Upstream**: {upstream(note)}"
    if fault.consequences:
        yield "**Also fails**\n\n" + "\n".join(f"- `{name}`: {statement_of(name)}" for name in fault.consequences)
    yield f"**Read**: {notes.judged(note)}"


def row_of(folder: Path, fault: Fault, note: Note) -> str:
    """A warning as a row of a table."""
    title, programs = title_of(fault, note), programs_of(folder, fault, note)
    text = happened(fault).partition("\n")[0]
    measured = f"{title if note.title else plain(title)}. Found: {plain(text[:200])}"
    also = f" Also fails: {', '.join(f'`{name}`' for name in fault.consequences)}." if fault.consequences else ""
    program = whole_programs(folder, programs) or cell(why_no_program(fault, note))
    remark = f" {note.remark}" if note.remark else ""
    known = upstream(note) if note.upstream or note.searched else ""
    cells = [f"`{fault.requirement}`, {fault.result['level']} for {DOING[fault.role]}", f"{measured}{also}",
             short_standard(fault.requirement), program, f"{known}{remark}"]
    return "| " + " | ".join(re.sub(r"\s+", " ", text).strip() for text in cells) + " |"


class Headings:
    """The headings of a page: each once, so that a link leads to one of them."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def unique(self, title: str, fault: Fault) -> str:
        for heading in (title, f"{title} ({DOING[fault.role]})", f"{title} (`{fault.requirement}`, {DOING[fault.role]})"):
            if anchor_of(heading) not in self.seen:
                break
        self.seen.add(anchor_of(heading))
        return heading


def summary(document: dict, faults: list[Fault]) -> str:
    """A certification in one line."""
    full = sum(fault.is_full for fault in faults)
    affected = len({name for fault in faults for name in (fault.requirement, *fault.consequences)})
    counts = f"{count(full, 'fault')} of a MUST, {count(len(faults) - full, 'warning')}; affected requirements: {affected}"
    verdict = "Certified" if document["exit_code"] == 0 else f"Not certified ({cell(verdict_of(document))})"
    stem = f"{RECORDED}/{stem_of(*name_of(document))}.json"
    return f"{verdict}: {counts}. {conditions(document)}. [All results]({stem})."


def alike(one: Fault, other: Fault) -> bool:
    """The same fault in two versions."""
    return one.key == other.key and one.is_full == other.is_full and one.check.get("sentence") == other.check.get("sentence")


def section(folder: Path, document: dict, known: Notes, headings: Headings, told: dict[tuple[str, str], tuple[Fault, str]]
            ) -> Iterator[str]:
    """What a certification shows; what a newer one tells already (`told`: the fault and its heading) is a line."""
    faults, version = faults_of(document), name_of(document)[1]
    yield f"## {version}"
    yield summary(document, faults) + (f" {NAMES}" if any(fault.is_full for fault in faults) else "")
    lines, rows = [], []
    for fault in faults:
        note = known.get(fault.key, NO_NOTE)
        if fault.key in told and alike(fault, told[fault.key][0]):
            newer, heading = told[fault.key]
            link = f"[{heading}](#{anchor_of(heading)})" if heading else f"`{fault.requirement}` ({DOING[fault.role]})"
            programs = whole_programs(folder, programs_of(folder, fault, note))
            lines.append(f"- As in {newer.stem.partition('-')[2]}: {link}" + (f"; {programs}" if programs else ""))
        elif fault.is_full:
            heading = headings.unique(title_of(fault, note), fault)
            told[fault.key] = fault, heading
            yield f"### {heading}"
            yield from filter(None, blocks_of(folder, fault, note))
        else:
            told[fault.key] = fault, ""
            rows.append(row_of(folder, fault, note))
    if rows:
        yield "**Warnings**: failures of a SHOULD or MAY.\n\n" \
              "| requirement | what happens | the standard | program | upstream, note |\n| --- | --- | --- | --- | --- |\n" \
              + "\n".join(rows)
    if lines:
        yield "\n".join(lines)


def older_section(library: str, folder: Path, known: Notes, told: dict[tuple[str, str], tuple[Fault, str]]) -> Iterator[str]:
    """The failed MUST of versions of which no more than verdicts is kept."""
    failed: dict[str, list[str]] = {}
    for version in reversed(older.read(folder, library)):
        for name, verdict in version["verdicts"].items():
            if verdict in FAILED:
                failed.setdefault(name, []).append(version["version"])
    if not failed:
        return
    yield "## Older versions"
    yield "Failed MUST of versions of which only verdicts are kept:"
    lines = []
    for name, versions in failed.items():
        heading = next((heading for key, (_, heading) in told.items() if key[0] == name and heading), "")
        note = next((note for key, note in known.items() if key[0] == name), NO_NOTE)
        parts = [f"see [{heading}](#{anchor_of(heading)})"] if heading else list(filter(None, [
            note.title, f"upstream: {upstream(note)}", f"read: {notes.judged(note)}", note.remark]))
        lines.append(f"- `{name}` ({', '.join(versions)}): {'. '.join(parts)}")
    yield "\n".join(lines)


def text(library: str, folder: Path) -> str:
    """All faults of a library, in Markdown."""
    known, headings = notes.notes_of(folder, library), Headings()
    told: dict[tuple[str, str], tuple[Fault, str]] = {}
    blocks = [block for document in certifications(folder, library)
              for block in section(folder, document, known, headings, told)]
    return "\n\n".join([*blocks, *older_section(library, folder, known, told)])


def with_faults(page: str, library: str, folder: Path) -> str:
    """A page's text with the faults that belong there now, if it has a place for them."""
    if BEGIN not in page:
        return page
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{text(library, folder)}\n\n{END}{rest.split(END)[1]}"


def pages(folder: Path) -> list[Path]:
    """Every page that has a place for faults."""
    return [path for path in sorted(folder.glob("*.md")) if BEGIN in path.read_text(encoding="utf-8")]


def update(folder: Path) -> None:
    """Writes the faults of each page of a folder that has a place for them."""
    for path in pages(folder):
        write(path, with_faults(path.read_text(encoding="utf-8"), path.stem, folder))
