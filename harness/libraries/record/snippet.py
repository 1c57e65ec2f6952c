# SPDX-License-Identifier: Apache-2.0
"""The smallest part of a saved program that shows what goes wrong: without its heading and the helpers that programs share."""

from __future__ import annotations

import re
from pathlib import Path

from places import BY_HAND

SHOWN = 40  # lines
# In Python: what dlcert writes before the imports of the library, and between the parts of a program.
HOOK, BETWEEN = "sys.excepthook = unexpected\n", "\n\n\n"
# Bytes of elements, as far as they say something.
LONG = re.compile(r"\b([0-9a-f]{16})[0-9a-f]{112,}\b")


def without_guard(lines: list[str]) -> list[str]:
    """The lines without what guards a call that ends the process."""
    if "try:" not in lines or "except NameError:" not in lines:
        return lines
    begin, end = lines.index("try:"), lines.index("except NameError:")
    return [*lines[:begin], *(line.removeprefix("    ") for line in lines[begin + 1:end])]


def python_body(text: str) -> list[str]:
    """The imports of the library, and what the program does after its helpers. Empty: dlcert writes programs in another way today."""
    head, hook, rest = text.partition(HOOK)
    if not hook or BETWEEN not in rest:
        return []
    imports, body = rest.partition(BETWEEN)[0].strip("\n"), rest.rpartition(BETWEEN)[2].strip("\n")
    imported = imports.splitlines()
    return [*imported, *(line for line in without_guard(body.splitlines()) if line not in imported)]


def c_body(text: str) -> list[str]:
    """What the function steps() does; in older programs what main() does after it has loaded the library, without what every
    program says at its end."""
    if "static void steps(void) {\n" in text:
        steps = text.partition("static void steps(void) {\n")[2].partition("\n}\n")[0]
        return [line.removeprefix("  ") for line in steps.strip("\n").splitlines()]
    lines = text.partition("int main(")[2].splitlines()[1:]
    starts = [number for number, line in enumerate(lines) if "load(" in line]
    lines = lines[starts[0] + 1:] if starts else lines
    body = [line.removeprefix("  ") for line in lines if line.strip() not in ("}", "show_accounts();", "return shows_fault();")]
    return "\n".join(body).strip("\n").splitlines()


def snippet(path: Path) -> str:
    """The lines that make the calls and the judgement, as a block of Markdown. Empty: the program must be read as a whole."""
    text = path.read_text(encoding="utf-8")
    if path.stem.endswith(BY_HAND):
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        lines = lines if len(lines) <= SHOWN else []
    else:
        lines = python_body(text) if path.suffix == ".py" else c_body(text)
    if len(lines) > SHOWN:
        lines = [*lines[:SHOWN], f"... ({len(lines) - SHOWN} more lines)"]
    body = LONG.sub(r"\1...", "\n".join(lines)).strip("\n")
    return f"```{'python' if path.suffix == '.py' else 'c'}\n{body}\n```\n" if body else ""
