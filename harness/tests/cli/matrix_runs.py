# SPDX-License-Identifier: Apache-2.0
"""Runs of dlcert matrix, for the tests of it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any


class Run:
    """A run of dlcert matrix, and its results."""

    def __init__(self, dlcert: str, *arguments: str, waivers: str = "", **environment: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.json"
            command = [dlcert, "matrix", *arguments, "--no-preflight", "--results", str(results),
                       "--junit", f"{folder}/junit.xml", "--markdown", f"{folder}/page.md"]
            if waivers:
                (Path(folder) / "waivers.toml").write_text(waivers, encoding="utf-8")
                command += ["--waivers", f"{folder}/waivers.toml"]
            done = subprocess.run(command, env={**os.environ, **environment}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.code = done.returncode
            self.output = done.stdout
            self.results: Any = json.loads(results.read_text()) if results.exists() else None
            pages = [Path(folder) / name for name in ("junit.xml", "page.md")]
            self.junit, self.page = [page.read_text() if page.exists() else "" for page in pages]
            saved = Path(f"{results}.counterexamples")
            self.saved = {file.name: file.read_text() for file in saved.glob("*")}

    def cell(self, producer: str, consumer: str) -> Any:
        """The cell of a pair."""
        return next(cell for cell in self.results["matrix"]["cells"]
                    if (cell["producer"], cell["consumer"]) == (producer, consumer))


def adapters(*paths: str) -> list[str]:
    """Options that name them."""
    return [word for path in paths for word in ("--adapter", path)]


def waiver(requirement: str, producer: str, consumer: str, message: str) -> str:
    """A waiver of a pair, of its consumer."""
    return f"""[[waiver]]
requirement = "{requirement}"
producer = "{producer}"
consumer = "{consumer}"
implementation = "{consumer}"
versions = ">=0"
message = "{message}"
reason = "a planted fault of the tests"
owner = "the tests"
expires = 2027-06-30
"""
