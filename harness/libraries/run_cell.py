#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One cell of the workflow, from nothing to its result:

    run_cell.py CELL --cells cells.toml --dlcert PROGRAM --venvs FOLDER --result FOLDER [--python PROGRAM] [--discard]

The result is results.json with its programs and packages.txt, or failed.json, which says what did not work. Either is a
result: the exit code is 0. Who interrupts it gets another one. What was installed before, for the same requirements, is
taken again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import download  # noqa: E402
from cells import Cell, load  # noqa: E402
from download import Failed, last_words  # noqa: E402

TOLD = 4000  # characters that are kept of what a program said
# Exit codes of dlcert that come with a verdict.
VERDICTS = (0, 1, 3, 4, 5)
# Nothing that a library does ends dlcert so: somebody did, and the cell is to be run again.
INTERRUPTED = (-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP)


def interpreter_of(name: str) -> Path:
    """The program of an interpreter."""
    found = shutil.which(name)
    if not found:
        raise Failed("interpreter", f"python: {name}: there is none")
    return Path(found)


def version_of(python: Path) -> str:
    """As "CPython 3.11.2"."""
    question = "import platform; print(platform.python_implementation(), platform.python_version())"
    return subprocess.run([python, "-c", question], capture_output=True, text=True, check=False).stdout.strip()


def installed(cell: Cell, interpreter: Path, venv: Path) -> Path:
    """The interpreter of the cell's virtual environment, with its packages; made anew unless it is there as a whole."""
    if not cell.requirements:
        return interpreter
    python, lock, wish = venv / "bin" / "python", venv / "lock.txt", venv / "wish.json"
    wished = json.dumps([cell.requirements, cell.dependencies, cell.recipe, str(interpreter), version_of(interpreter)])
    if lock.exists() and wish.exists() and wish.read_text(encoding="utf-8") == wished:
        return python
    made = subprocess.run([interpreter, "-m", "venv", "--clear", "--without-pip", venv], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise Failed("interpreter", last_words(made.stderr or made.stdout), made.stderr)
    wish.write_text(wished, encoding="utf-8")
    files = download.planned(python, cell.requirements, cell.dependencies)
    print(f"{cell.name}: {download.judged(files, cell.download_mib) / download.MIB:.1f} MiB in {len(files)} files", flush=True)
    download.install(python, files, lock)
    return python


def ended(code: int) -> str:
    """How a program ended, in words."""
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def run(stage: str, command: list, environment: dict[str, str], seconds: float) -> subprocess.CompletedProcess:
    """Runs a program with the cell's environment. Raises Failed where it takes too long."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as program:
        try:
            out, err = program.communicate(timeout=max(seconds, 1))
        except subprocess.TimeoutExpired:
            program.kill()
            out, err = program.communicate()
            raise Failed(stage, f"minutes: it did not end in time, which left it {seconds:.0f} s", err or out) from None
        except BaseException:
            program.terminate()
            raise
    return subprocess.CompletedProcess(command, program.returncode, out, err)


def follow_recipe(cell: Cell, python: Path, venv: Path, environment: dict[str, str], seconds: float) -> None:
    """Runs the cell's recipe, unless its text was followed to its end in this environment."""
    if not cell.recipe:
        return
    text, followed = cell.recipe_file.read_text(encoding="utf-8"), venv / "recipe.txt"
    if followed.exists() and followed.read_text(encoding="utf-8") == text:
        return
    ran = run("recipe", [python, cell.recipe_file], environment, seconds)
    if ran.returncode != 0:
        raise Failed("recipe", f"{cell.recipe}: {last_words(ran.stderr or ran.stdout) if ran.returncode > 0 else ended(ran.returncode)}",
                     ran.stderr or ran.stdout)
    part = followed.with_name(followed.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(followed)


def certify(cell: Cell, options: argparse.Namespace, until: float) -> None:
    """Installs, imports and certifies a library. Raises Failed with the first step that does not work."""
    venv = options.venvs / cell.name
    python = installed(cell, interpreter_of(options.python), venv)
    given = {name: value.replace("{venv}", str(venv)) for name, value in cell.environment.items()}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **given}
    follow_recipe(cell, python, venv, environment, until - time.monotonic())

    imported = run("import", [python, "-c", f"import {cell.module}"], environment, until - time.monotonic())
    if imported.returncode != 0:
        how = last_words(imported.stderr) if imported.returncode > 0 else ended(imported.returncode)
        raise Failed("import", how, imported.stderr)

    results = options.result / "results.json"
    command = [options.dlcert, "certify", "--adapter", cell.adapter, "--python", python, *cell.options,
               "--programs", "1000", "--results", results]
    judged = run("certify", command, environment, until - time.monotonic())
    if judged.returncode in INTERRUPTED:
        sys.exit(f"{cell.name}: dlcert was {ended(judged.returncode)} from outside, which says nothing of the library")
    (options.result / "certificate.txt").write_text(judged.stdout + judged.stderr, encoding="utf-8")
    if judged.returncode not in VERDICTS or not results.exists() or not json.loads(results.read_text())["complete"]:
        raise Failed("certify", f"{ended(judged.returncode)}: {last_words(judged.stderr or judged.stdout)}", judged.stderr or judged.stdout)
    if cell.requirements:
        lines = (venv / "lock.txt").read_text(encoding="utf-8").splitlines()
        (options.result / "packages.txt").write_text("".join(f"{line.split()[0]}\n" for line in lines), encoding="utf-8")


def failure(cell: Cell, failed: Failed, interpreter: str) -> dict:
    """What reports/schema/outcome.schema.json says, but for the machine."""
    python = shutil.which(interpreter)
    document = {"library": cell.library, "version": cell.version, "stage": failed.stage, "reason": failed.reason,
                "output": failed.output[-TOLD:], "requirements": cell.requirements,
                "when": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    return {**document, "python": version_of(Path(python))} if python else document


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cell")
    parser.add_argument("--cells", type=Path, required=True)
    parser.add_argument("--dlcert", required=True, help="the program, built or installed")
    parser.add_argument("--venvs", type=Path, required=True, help="where the virtual environments are")
    parser.add_argument("--python", default="python3", help="the interpreter of cells that name none")
    parser.add_argument("--result", type=Path, required=True, help="a folder, which is made")
    parser.add_argument("--discard", action="store_true", help="removes the virtual environment at the end")
    return parser


def main() -> int:
    options = arguments().parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    cell = load(options.cells)[options.cell]
    options.python = cell.python or options.python
    options.venvs, options.result = options.venvs.resolve(), options.result.resolve()
    shutil.rmtree(options.result, ignore_errors=True)
    options.result.mkdir(parents=True)
    options.venvs.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        certify(cell, options, began + 60 * cell.minutes)
        told = "certified or not: see results.json"
    except Failed as failed:
        (options.result / "failed.json").write_text(json.dumps(failure(cell, failed, options.python), indent=1) + "\n", encoding="utf-8")
        told = f"{failed.stage}: {failed.reason}"
    finally:
        if options.discard:
            shutil.rmtree(options.venvs / cell.name, ignore_errors=True)
    print(f"{cell.name}: {told} ({time.monotonic() - began:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
