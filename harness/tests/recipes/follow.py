#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the recipe for a requirement in a scratch copy of the project: follow.py PROJECT SCRATCH CMAKE-OPTION...

Fails where a step of the page fails, so that CONTRIBUTING.md stays true: the mutant dies, and the reference passes.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from recipe import blocks_of, follow, stray_commands

HEADING = "Add a requirement, its check and its mutant"


def copy_sources(project, scratch):
    """What git would commit, so that no build output comes along."""
    shutil.rmtree(scratch, ignore_errors=True)
    listed = subprocess.run(["git", "-C", project, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (project / name).is_file():
            target = scratch / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project / name, target)


def main():
    project, scratch = (Path(argument).resolve() for argument in sys.argv[1:3])
    page = (project / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = blocks_of(page, HEADING)
    stray = stray_commands(page, HEADING)
    if stray:
        raise SystemExit(f"CONTRIBUTING.md: expected commands in blocks but found {stray}")
    copy_sources(project, scratch)
    subprocess.run(["cmake", "--preset", "dev", *sys.argv[3:]], cwd=scratch, check=True)
    follow(blocks, scratch)
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
