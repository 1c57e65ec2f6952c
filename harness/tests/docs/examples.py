#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of one page of harness/docs: examples.py PAGE SCRATCH --compiler FILE [--module NAME=FILE]...

A block's first word is its language. The words after it say what it is:

  ```sh                 commands, run by a shell in the page's folder, where what is written before lies; they end
  ```sh exit=3          with 0, or with this
  ```text               what the commands before printed: these lines; ... stands for anything
  ```cpp acme_test.cpp  a file of the folder
  ```c examples/a.c     an excerpt of a file that is installed beside the page
  ```cpp methods        methods of the page's adapter: compiled as those of one derived from it
  ```yaml FILE          a file; the commands of its jobs are run too

A block of another kind is refused: no example stands on a page that nobody runs. SCRATCH is made anew, and is the home of a user who
has installed dlcert below ~/.local, from where the page comes. A module, or its source, is copied to the folder.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(?P<language>\w+)(?: +(?P<word>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_FENCE = re.compile(r"^ *(?:```|~~~)", re.MULTILINE)
METHODS = """#include "acme_adapter.cpp"
struct Documented : AcmeAdapter {{
{methods}}};
static_assert(dlcert::adapter::detail::Signatures<Documented>::check());
"""


class Wrong(Exception):
    """An example that is not as the page says."""


@dataclass
class Block:
    line: int
    language: str
    word: str
    text: str


def blocks_of(page):
    blocks = [Block(page.count("\n", 0, match.start()) + 1, match["language"], match["word"] or "", match["text"])
              for match in FENCE.finditer(page)]
    if 2 * len(blocks) != len(ANY_FENCE.findall(page)):
        raise Wrong("expected fences of three backticks with a language, at the margin, but found others")
    return blocks


def matches(expected, output):
    """Whether the lines stand in the output, ... for anything."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
                      for line in expected.splitlines())
    return re.search("^" + pattern, output, re.MULTILINE) is not None


def commands_of(document):
    """The commands of a GitHub workflow or a GitLab pipeline."""
    for job in document.get("jobs", document).values():
        if isinstance(job, dict):
            yield from (step["run"] for step in job.get("steps", []) if "run" in step)
            yield from job.get("script", [])


class Page:
    """A page in the folder where its examples run."""

    def __init__(self, beside, folder, environment):
        self.beside = beside  # what is installed with the page
        self.folder = folder
        self.environment = environment
        self.output = None  # of the commands before
        self.done = set()   # commands of CI files
        self.methods = ""

    def run(self, commands, exit_code=0):
        result = subprocess.run(["sh", "-ec", commands], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.output = result.stdout.decode("utf-8", "replace")
        if result.returncode != exit_code:
            raise Wrong(f"expected exit code {exit_code} but found {result.returncode}:\n{commands}{self.output}")

    def expect_output(self, text):
        if self.output is None:
            raise Wrong("expected commands before what they print but found none")
        if not matches(text, self.output):
            raise Wrong(f"expected\n{text}but found\n{self.output}")

    def expect_excerpt(self, name, text):
        if text not in (self.beside / name).read_text(encoding="utf-8"):
            raise Wrong(f"expected an excerpt of {name} but found\n{text}")

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_pipeline(self, text):
        import yaml

        commands = list(commands_of(yaml.safe_load(text)))
        if not commands:
            raise Wrong("expected commands in the file but found none")
        for command in commands:
            if command not in self.done:
                self.run(command + "\n")
            self.done.add(command)

    def follow(self, block):
        if block.language == "sh" and re.fullmatch(r"(exit=\d+)?", block.word):
            if block.word and len(block.text.replace("\\\n", "").splitlines()) != 1:
                raise Wrong("expected one command, whose exit code that is, but found more")
            self.run(block.text, int(block.word[5:] or 0))
        elif block.language == "text" and not block.word:
            self.expect_output(block.text)
        elif block.language == "cpp" and block.word == "methods":
            self.methods += f'#line {block.line + 1} "the page"\n{block.text}'
        elif block.word.startswith("examples/"):
            self.expect_excerpt(block.word, block.text)
        elif "." in block.word:
            self.write(block.word, block.text)
            if block.language == "yaml":
                self.run_pipeline(block.text)
        else:
            raise Wrong(f"expected a block that can be run but found '{block.language} {block.word}'".rstrip("' ") + "'")

    def compile_methods(self):
        if self.methods:
            self.write("methods.cpp", METHODS.format(methods=self.methods))
            self.run("c++ -std=c++20 -fsyntax-only -I ~/.local/include methods.cpp")


def judge(text, page):
    """(line, message) for each example that is wrong."""
    line = 1
    try:
        for block in blocks_of(text):
            line = block.line
            page.follow(block)
        page.compile_methods()
    except (Wrong, OSError) as wrong:
        yield line, str(wrong)


def make_home(scratch, page, modules, includes, compiler):
    """The folder of the page's examples, and the environment of its user."""
    shutil.rmtree(scratch, ignore_errors=True)
    folder, programs, libraries = (scratch / name for name in ("acme", "bin", "lib"))
    for made in (folder, programs, libraries):
        made.mkdir(parents=True)
    local = scratch / ".local"
    local.symlink_to(next(parent for parent in page.parents if (parent / "bin" / "dlcert").exists()))
    (programs / "c++").symlink_to(compiler)
    subprocess.run(["ar", "qc", libraries / "libacme.a"], check=True)
    for name, file in modules:
        shutil.copyfile(file, folder / name)
    venv = [Path(os.environ["VIRTUAL_ENV"], "bin")] if "VIRTUAL_ENV" in os.environ else []
    paths = {"PATH": [programs, local / "bin", *venv], "CPATH": [page.parent / "examples" / "minimal", *includes],
             "LIBRARY_PATH": [libraries], "CMAKE_PREFIX_PATH": [local]}
    environment = {**os.environ, "HOME": str(scratch), "CXX": str(compiler), "DLCERT_MISTAKE": "read column-major",
                   "GITHUB_STEP_SUMMARY": str(scratch / "summary.md")}
    for name, entries in paths.items():
        environment[name] = os.pathsep.join([*map(str, entries), *filter(None, [os.environ.get(name)])])
    return folder, environment


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--module", action="append", default=[], type=lambda text: text.split("=", 1))
    parser.add_argument("--include", action="append", default=[], type=Path)
    parser.add_argument("--compiler", type=Path, required=True)
    arguments = parser.parse_args()
    page = arguments.page.resolve()
    folder, environment = make_home(arguments.scratch.resolve(), page, arguments.module, arguments.include,
                                    arguments.compiler)
    wrong = list(judge(page.read_text(encoding="utf-8"), Page(page.parent, folder, environment)))
    for line, message in wrong:
        print(f"{page.name}:{line}: {message}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
