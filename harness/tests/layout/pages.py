#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the project's pages (*.md) count and where they lead: pages.py PROJECT [--write]

A number of requirements, areas, policies, mutants or bugs is that of the data. A number of tests or checks
cannot be compared with anything here, and stands on no page. Numbers below ten are free: they count some of
the things, not all; so does what failed in a run. A relative link leads to a file of the
project, and to a heading of it where the link names one. Blocks of code are not looked at, nor are the
released versions in the change log: what they say was true then. With --write it corrects the numbers.
"""

import json
import re
import sys
from pathlib import Path

WORDS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()

# What is counted, and how it is called.
COUNTED = {
    "requirements": "requirements",
    "areas": "areas",
    "policies": "policies",
    "mutants": "mutants",
    "planted faults": "mutants",
    "known bugs": "bugs",
}
UNCOUNTED = ["tests", "checks"]

NUMBER = re.compile(
    rf"(?<![\w.,-])(\d{{2,}}|\d{{1,3}}(?:,\d{{3}})+|{'|'.join(WORDS)})\s+({'|'.join([*COUNTED, *UNCOUNTED])})\b(?!\s+(?:failed|crash|timeout)\b)",
    re.IGNORECASE)
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]*)[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
FENCE = re.compile(r"^( *)(```+|~~~+).*?^ *\2[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)[^`](?:.*?[^`])??\1(?!`)", re.DOTALL)
RELEASED = re.compile(r"^## (?!Unreleased).*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?)[ #]*$", re.MULTILINE)

NOT_OURS = {"build", "node_modules", "__pycache__"}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def facts_of(project):
    """How many there are of each thing that a page may count. A file that is missing counts nothing."""

    def read(path):
        return json.loads((project / path).read_text(encoding="utf-8")) if (project / path).exists() else None

    facts = {}
    areas = [json.loads(path.read_text(encoding="utf-8"))
             for path in (project / "conformance" / "requirements").glob("*.json")]
    if areas:
        facts["areas"] = len(areas)
        facts["requirements"] = sum(len(area["requirements"]) for area in areas)
    for thing, path, member in [("policies", "conformance/policies.json", "policies"),
                                ("mutants", "fixtures/mutants/manifest.json", "mutants"),
                                ("bugs", "fixtures/bugs.json", None)]:
        document = read(path)
        if document is not None:
            facts[thing] = len(document[member] if member else document)
    return facts


def value_of(number):
    return WORDS.index(number.lower()) + 10 if number.lower() in WORDS else int(number.replace(",", ""))


def wrong_numbers(text, facts):
    """(offset, message) for each number that is not that of the data."""
    for match in NUMBER.finditer(text):
        number, name = match.group(1), " ".join(match.group(2).lower().split())
        if name in UNCOUNTED:
            yield match.start(), f"expected no number of {name}, which nothing keeps up to date, but found {number}"
        elif COUNTED[name] in facts and value_of(number) != facts[COUNTED[name]]:
            yield match.start(), f"expected {facts[COUNTED[name]]} {name} but found {number}"


def anchors_of(text):
    """The names under which a page's headings are linked to."""
    anchors = set()
    for heading in HEADING.findall(FENCE.sub(blank, text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = sum(1 for known in anchors if known == name or re.fullmatch(re.escape(name) + r"-\d+", known))
        anchors.add(f"{name}-{number}" if number else name)
    return anchors


def wrong_links(page, text, project):
    """(offset, message) for each relative link that leads nowhere, or out of the project."""
    for match in LINK.finditer(text):
        target = match.group(1) if match.group(1) is not None else match.group(2)
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.is_relative_to(project) or not file.exists():
            yield match.start(), f"expected a file of the project but found a link to {target or 'nothing'}"
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text(encoding="utf-8")):
            yield match.start(), f"expected a heading of {path or page.name} but found a link to #{anchor}"


def pages_of(project):
    for page in sorted(project.rglob("*.md")):
        folders = page.relative_to(project).parts[:-1]
        if not any(folder in NOT_OURS or folder.startswith(".") for folder in folders):
            yield page


def judge_page(page, project, facts):
    prose = CODE.sub(blank, FENCE.sub(blank, page.read_text(encoding="utf-8")))
    counting = RELEASED.sub(blank, prose) if page.name == "CHANGELOG.md" else prose
    wrong = [*wrong_numbers(counting, facts), *wrong_links(page, prose, project)]
    for offset, message in sorted(wrong):
        yield f"{page.relative_to(project).as_posix()}:{prose.count(chr(10), 0, offset) + 1}: {message}"


def judge(project):
    facts = facts_of(project)
    for page in pages_of(project):
        yield from judge_page(page, project, facts)


def write_numbers(project):
    """Corrects each number that is not that of the data, in digits."""
    facts = facts_of(project)
    for page in pages_of(project):
        text = page.read_text(encoding="utf-8")
        prose = CODE.sub(blank, FENCE.sub(blank, text))
        for match in reversed(list(NUMBER.finditer(RELEASED.sub(blank, prose) if page.name == "CHANGELOG.md" else prose))):
            name = " ".join(match.group(2).lower().split())
            if name in COUNTED and COUNTED[name] in facts and value_of(match.group(1)) != facts[COUNTED[name]]:
                text = text[:match.start(1)] + str(facts[COUNTED[name]]) + text[match.end(1):]
        page.write_text(text, encoding="utf-8")


def main(arguments):
    if arguments[1:] == ["--write"]:
        write_numbers(Path(arguments[0]).resolve())
    wrong = list(judge(Path(arguments[0]).resolve()))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
