#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of dependency rules into ARCHITECTURE.md from that which dependency_rules.py enforces; with --check,
fails unless the page is up to date."""

import sys
from pathlib import Path

import dependency_rules

PROJECT = Path(__file__).resolve().parents[3]
PAGE = PROJECT / "ARCHITECTURE.md"
BEGIN = "<!-- dependency rules: begin -->\n"
END = "<!-- dependency rules: end -->\n"


def grouped():
    """(parts, known): folders of one parent that may know the same share a row."""
    groups = {}
    for part, known in sorted(dependency_rules.MAY_KNOW.items()):
        groups.setdefault((str(Path(part).parent), tuple(known)), []).append(part)
    return [(parts, known) for (_, known), parts in groups.items()]


def row(parts, known):
    links = ", ".join(f"[{part}]({part})" for part in parts)
    return f"| {links} | {', '.join(known) or 'none'} |\n"


def table():
    rows = "".join(row(parts, known) for parts, known in grouped())
    return "\n| folder | may include and link |\n| --- | --- |\n" + rows + "\n"


def page(text):
    """`text` with the table between its two marks. Raises ValueError where a mark is missing."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


def main():
    text = PAGE.read_text(encoding="utf-8")
    wanted = page(text)
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if text == wanted:
        return 0
    print("ARCHITECTURE.md: expected the table that harness/tests/layout/architecture_page.py writes but found another")
    return 1


if __name__ == "__main__":
    sys.exit(main())
