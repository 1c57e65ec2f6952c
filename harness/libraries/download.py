# SPDX-License-Identifier: Apache-2.0
"""What pip would fetch, how large it is, and what is installed then: exactly these files, by their digests."""

from __future__ import annotations

import json
import os
import re
import ssl
import subprocess
import sys
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
WHEELS_ALONE = ["--only-binary", ":all:", "--disable-pip-version-check", "--no-input"]


class Failed(Exception):
    """A step that did not work: its stage, the reason in a line, and what the program said."""

    def __init__(self, stage: str, reason: str, output: str = ""):
        super().__init__(reason)
        self.stage, self.reason, self.output = stage, reason, output


@dataclass(frozen=True)
class File:
    """One file that pip would fetch."""

    name: str
    version: str
    url: str
    digest: str

    @property
    def line(self) -> str:
        """As pip takes it: this file and no other."""
        return f"{self.name}=={self.version} --hash={self.digest}"


def pip(python: Path, *arguments: str) -> list[str]:
    """pip's command line: this interpreter's own pip, which works on another one."""
    return [sys.executable, "-m", "pip", "--python", str(python), *arguments, *WHEELS_ALONE]


def last_words(text: str) -> str:
    """The line of a program's output that says why: its last error, else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["it said nothing"])[-1]


def run_pip(command: list[str]) -> None:
    """Runs pip. Raises Failed with its last error; where it looked belongs to the machine, and is not told."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        said = re.sub(r"\w+://[^/\s]*", "<index>", ran.stderr)
        raise Failed("install", last_words(said), said)


def planned(python: Path, requirements: list[str], dependencies: bool) -> list[File]:
    """What pip would fetch for requirements. It reads the packages' metadata alone, where the index has them apart."""
    report = python.parent.parent / "report.json"
    alone = [] if dependencies else ["--no-deps"]
    command = pip(python, "install", "--dry-run", "--ignore-installed", "--report", str(report), *alone, *requirements)
    run_pip(command)
    files = []
    for item in json.loads(report.read_text(encoding="utf-8"))["install"]:
        archive = item["download_info"].get("archive_info", {})
        hashes = archive.get("hashes") or dict([archive["hash"].split("=", 1)] if "hash" in archive else [])
        if "sha256" not in hashes:
            raise Failed("download", f"{item['metadata']['name']}: the index gives no SHA-256")
        metadata, url = item["metadata"], item["download_info"]["url"]
        files.append(File(metadata["name"], metadata["version"], url, f"sha256:{hashes['sha256']}"))
    return files


def size_of(file: File) -> int:
    """Bytes of a file of an index or a folder, of which nothing but the head is fetched."""
    parts = urllib.parse.urlsplit(file.url)
    if parts.scheme == "file":
        return Path(urllib.request.url2pathname(parts.path)).stat().st_size
    trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
    question = urllib.request.Request(file.url.split("#")[0], method="HEAD")
    try:
        with urllib.request.urlopen(question, timeout=60, context=trusted) as answer:
            return int(answer.headers["Content-Length"])
    except (OSError, TypeError, ValueError) as error:
        raise Failed("download", f"{file.name} {file.version}: its size is not known: {error}") from None


def judged(files: list[File], bound_mib: int) -> int:
    """How much is to be fetched, in bytes. Raises Failed in a line that names the value, where it exceeds its bound."""
    sizes = {file: size_of(file) for file in files}
    total, largest = sum(sizes.values()), max(files, key=lambda file: sizes[file], default=None)
    if total > bound_mib * MIB:
        raise Failed("download", f"download_mib: {len(files)} files take {total / MIB:.1f} MiB, the bound is {bound_mib} MiB; "
                                 f"the largest: {largest.name} {largest.version}, {sizes[largest] / MIB:.1f} MiB")
    return total


def install(python: Path, files: list[File], lock: Path) -> None:
    """Installs these files, and nothing else; `lock` is then what pip was given."""
    part = lock.with_name(lock.name + ".part")
    part.write_text("".join(f"{file.line}\n" for file in files), encoding="utf-8")
    command = pip(python, "install", "--quiet", "--no-deps", "--require-hashes", "--requirement", str(part))
    run_pip(command)
    part.replace(lock)
