# SPDX-License-Identifier: Apache-2.0
"""Where the program is, and `python -m dlcert`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import dlcert
import pytest
from recorded import Recorded

PACKAGE = Path(dlcert.__file__).parent


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs this interpreter; an empty value removes a variable."""
    merged = {**os.environ, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False,
                          env={name: value for name, value in merged.items() if value})


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package, which may have a folder _dist."""
    shutil.copytree(PACKAGE, tmp_path / "site" / "dlcert")
    return tmp_path / "site"


def add_program(folder: Path, text: str) -> Path:
    program = folder / "bin" / "dlcert"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho {text} \"$@\"\nexit 3\n")
    program.chmod(0o755)
    return program


def test_an_import_loads_nothing_else() -> None:
    done = python("-c", "import sys, dlcert; print([m for m in sys.modules if m.startswith('dlcert.')"
                        " or m in ('json', 'subprocess', 'dataclasses')])")
    assert done.stdout == "[]\n", done.stderr


def test_each_name_is_found_without_a_worker() -> None:
    assert {"Adapter", "certify"} <= set(dlcert.__all__)
    for name in dlcert.__all__:
        assert getattr(dlcert, name).__name__ == name
    assert set(dlcert.__all__) <= set(dir(dlcert))
    with pytest.raises(AttributeError, match="'dlcert' has no attribute 'certfy'"):
        dlcert.certfy


def test_the_variable_precedes_the_wheel_and_the_wheel_precedes_path(copied: Path, tmp_path: Path) -> None:
    named = add_program(tmp_path / "named", "named")
    on_path = add_program(tmp_path / "prefix", "path")
    where = {"PYTHONPATH": str(copied), "PATH": f"{on_path.parent}:/usr/bin:/bin", "DLCERT": ""}
    assert python("-m", "dlcert", "a", **where).stdout == "path a\n"
    assert python("-m", "dlcert", "--cmake-prefix", **where).stdout == f"{tmp_path}/prefix\n"
    add_program(copied / "dlcert" / "_dist", "wheel")
    done = python("-m", "dlcert", "a", "b c", **where)
    assert (done.stdout, done.returncode) == ("wheel a b c\n", 3)
    assert python("-m", "dlcert", "--cmake-prefix", **where).stdout == f"{copied}/dlcert/_dist\n"
    where["DLCERT"] = str(named)
    assert python("-m", "dlcert", **where).stdout == "named\n"
    assert python("-m", "dlcert", "--cmake-prefix", **where).stdout == f"{copied}/dlcert/_dist\n"


@pytest.mark.parametrize("variable, line", [
    ("", "dlcert: the program dlcert was not found: install it, add its folder to PATH, or set DLCERT "
         "in the environment to its path"),
    ("/nonexistent", "dlcert: DLCERT is '/nonexistent' in the environment: no such program"),
])
def test_no_program_is_one_line(variable: str, line: str) -> None:
    done = python("-m", "dlcert", "list", DLCERT=variable, PATH="/nonexistent")
    assert (done.stderr, done.returncode) == (line + "\n", 2)


def test_a_script_does_not_start_itself(tmp_path: Path) -> None:
    script = tmp_path / "dlcert"
    script.write_text(f"#!{sys.executable}\nfrom dlcert.__main__ import main\nmain()\n")
    script.chmod(0o755)
    environment = {**os.environ, "PATH": str(tmp_path)}
    del environment["DLCERT"]
    done = subprocess.run([script], capture_output=True, text=True, check=False, timeout=60, env=environment)
    assert done.returncode == 2 and "the program that it starts is missing" in done.stderr


@pytest.mark.parametrize("end, code", [("kill -9 $$", "-9"), ("exit 126", "126")])
def test_another_end_is_an_error(recorded: Recorded, end: str, code: str) -> None:
    recorded.program.write_text(f"#!/bin/sh\n{end}\n")
    with pytest.raises(dlcert.DlcertError, match=f"ended with exit code {code}$"):
        dlcert.certify("python:acme")
