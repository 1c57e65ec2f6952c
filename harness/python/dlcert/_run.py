# SPDX-License-Identifier: Apache-2.0
"""The commands of dlcert as functions."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dlcert import _results
from dlcert._error import DlcertError
from dlcert._program import run_program

PathLike = str | os.PathLike[str]


def certify(*adapters: str, areas: str | Iterable[str] = (), cases: int | None = None,
            seed: int | None = None, policies: Mapping[str, str] | None = None,
            waivers: PathLike | None = None, python: PathLike | None = None,
            results: PathLike | None = None,
            options: str | Sequence[str] = ()) -> _results.Certification:
    """Runs `dlcert certify`, and returns what it found.

    `adapters` are as on the command line: "python:numpy", "python:./acme_adapter.py",
    "./acme_adapter.so". `areas` selects requirements; a selection certifies nothing. `cases`,
    `seed`, `policies` (a value for each name), `waivers` (a file) and `options` (more arguments: a
    list, or one string) are options of `dlcert certify`, which has their defaults. `python` is the
    interpreter of adapters in Python; default: this one. `results` is the file for the results,
    with the counterexamples beside it; default: they are not kept.

    A failure of the library is no error: look at `exit_code`. Raises DlcertError if dlcert could
    judge nothing, for example because an argument is wrong; the error repeats dlcert's line."""
    chosen = _options(areas, cases, seed, policies, waivers, results) + split(options)
    with tempfile.TemporaryDirectory(prefix="dlcert-") as folder:
        return _results.read_certification(*run_in("certify", adapters, chosen, python, folder))


def matrix(adapters: Iterable[str], *, areas: str | Iterable[str] = (), cases: int | None = None,
           seed: int | None = None, policies: Mapping[str, str] | None = None,
           waivers: PathLike | None = None, python: PathLike | None = None,
           results: PathLike | None = None,
           options: str | Sequence[str] = ()) -> _results.Matrix:
    """Runs `dlcert matrix`: each library of `adapters` as producer with each as consumer. Takes
    and raises the same as certify()."""
    chosen = _options(areas, cases, seed, policies, waivers, results) + split(options)
    with tempfile.TemporaryDirectory(prefix="dlcert-") as folder:
        return _results.read_matrix(*run_in("matrix", adapters, chosen, python, folder))


def run_in(command: str, adapters: Iterable[str], options: list[str], python: PathLike | None,
           folder: PathLike) -> tuple[Path, Path, str]:
    """Runs a command. Returns the files of its results (in `folder`, unless the options name
    another) and of JUnit, and its report. Raises DlcertError as certify()."""
    adapters = [adapters] if isinstance(adapters, str) else list(adapters)
    arguments = [command, *(f"--adapter={adapter}" for adapter in adapters)]
    files = {"--results": Path(folder, "results.json"), "--junit": Path(folder, "junit.xml")}
    for name in files:
        named = _value_of(name, options)
        if named is None:
            arguments.append(f"{name}={files[name]}")
            files[name].unlink(missing_ok=True)  # of an earlier run
        else:
            files[name] = Path(named).absolute()
    if any(adapter.startswith("python:") for adapter in adapters):
        if python is not None or _value_of("--python", options) is None:
            arguments.append(f"--python={os.fspath(python or sys.executable)}")
    report = run_program([*arguments, *options])
    return files["--results"], files["--junit"], report


def split(options: str | Sequence[str]) -> list[str]:
    """Returns the arguments of the program in `options`, which a shell would split if it is a
    string. Raises DlcertError for an open quote."""
    try:
        return shlex.split(options) if isinstance(options, str) else list(options)
    except ValueError as error:
        raise DlcertError(f"options '{options}': {error}") from error


def _options(areas: str | Iterable[str], cases: int | None, seed: int | None,
             policies: Mapping[str, str] | None, waivers: PathLike | None,
             results: PathLike | None) -> list[str]:
    single = {"cases": cases, "seed": seed, "waivers": waivers, "results": results}
    return [*(f"--area={area}" for area in ([areas] if isinstance(areas, str) else areas)),
            *(f"--policy={name}={value}" for name, value in (policies or {}).items()),
            *(f"--{name}={value}" for name, value in single.items() if value is not None)]


def _value_of(name: str, options: Sequence[str]) -> str | None:
    """Returns the value of an option of the program; None: it is not among `options`."""
    for at, option in enumerate(options):
        if option.startswith(f"{name}="):
            return option.removeprefix(f"{name}=")
        if option == name and at + 1 < len(options):
            return options[at + 1]
    return None
