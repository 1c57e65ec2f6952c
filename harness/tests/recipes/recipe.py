# SPDX-License-Identifier: Apache-2.0
"""Reads a recipe of CONTRIBUTING.md and follows it in a tree.

A recipe is the section under a heading. Its fenced blocks are what is followed; the words after the language say how:

  ```json conformance/requirements/abi.json    an entry, added to the one list that the file holds
  ```cpp conformance/abi/rank.cpp              new: the whole file; else put before the line `}  // namespace`
  ```sh                                        commands, run in the tree's root
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^ *```(\w+)(?: +(\S+))?\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
END_OF_HELPERS = "}  // namespace\n"


@dataclass
class Block:
    language: str
    file: str  # empty for commands
    text: str


def without_indent(text):
    """The block's text as it would stand at the left margin: a list indents its blocks."""
    lines = text.splitlines(keepends=True)
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "".join(line[indent:] if line.strip() else line for line in lines)


def blocks_of(page, heading):
    """The blocks of the section under `heading`, in order. Raises ValueError where there is none."""
    section = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", page, re.MULTILINE | re.DOTALL)
    blocks = [Block(language, file, without_indent(text))
              for language, file, text in FENCE.findall(section.group(2) if section else "")]
    if not blocks:
        raise ValueError(f"expected a section '{heading}' with blocks but found none")
    return blocks


# Beginnings of commands. A recipe has them in blocks alone, since nothing else is followed.
COMMANDS = ("build/", "cmake ", "ctest ", "python3 ", "harness/")


def stray_commands(page, heading):
    """The commands of a recipe that stand in its text, where nobody would run them."""
    section = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", page, re.MULTILINE | re.DOTALL)
    prose = FENCE.sub("", section.group(2) if section else "")
    return [code for code in re.findall(r"`([^`]+)`", prose) if code.startswith(COMMANDS) and " " in code]


def add_entry(path, text):
    document = json.loads(path.read_text(encoding="utf-8"))
    lists = [value for value in document.values() if isinstance(value, list)]
    if len(lists) != 1:
        raise ValueError(f"{path.name}: expected one list but found {len(lists)}")
    lists[0].append(json.loads(text))
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def add_code(path, text):
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        return
    before, mark, after = path.read_text(encoding="utf-8").partition(END_OF_HELPERS)
    if not mark:
        raise ValueError(f"{path.name}: expected a line '{END_OF_HELPERS.strip()}' but found none")
    path.write_text(before + text + "\n" + mark + after, encoding="utf-8")


def run(tree, commands, environment=None):
    """Runs the commands as a shell would, showing each; raises CalledProcessError at the first that fails."""
    subprocess.run(["sh", "-exc", commands], cwd=tree, env=environment, check=True, stdin=subprocess.DEVNULL)


def follow(blocks, tree, environment=None):
    for block in blocks:
        if block.language == "sh":
            run(tree, block.text, environment)
        elif block.language == "json":
            add_entry(Path(tree) / block.file, block.text)
        else:
            add_code(Path(tree) / block.file, block.text)
