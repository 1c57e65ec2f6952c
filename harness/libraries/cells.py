# SPDX-License-Identifier: Apache-2.0
"""The cells of the workflow: what cells.toml says, with its defaults, and nothing that it does not know."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path


OURS = Path(__file__).resolve().parents[1] / "adapters"
ADAPTERS, RECIPES = OURS / "python", OURS / "recipes"
PART = re.compile(r"^ *from \.(\w+) import", re.MULTILINE)


class Mistake(ValueError):
    """Something in the file of cells that is not as it must be."""


@dataclass(frozen=True)
class Cell:
    """A library in a version, and what its certification takes."""

    library: str  # its name in reports/libraries, of letters, digits, '.', '_', '+' and '-'
    version: str
    adapter: str = ""  # as dlcert's --adapter; default: python:<library>
    module: str = ""  # what is imported to see that it can be; default: the library
    requirements: list[str] | None = None  # for pip; default: <library>==<version>; none: the interpreter as it is
    dependencies: bool = True  # whether pip adds what these require
    recipe: str = ""  # a script of harness/adapters/recipes: the environment's interpreter runs it before the import
    python: str = ""  # the interpreter: a path, or a name on PATH; default: the workflow's
    environment: dict[str, str] = field(default_factory=dict)  # "{venv}" is the virtual environment
    cases: int | None = None  # for each property; default: dlcert's, as are the two limits below
    load_seconds: int | None = None  # a limit for one worker's import
    case_seconds: int | None = None  # after which a case is slow
    download_mib: int = 200  # no more may be fetched
    cores: int = 1
    memory_mib: int = 2000
    minutes: int = 20  # a limit for all of it
    note: str = ""  # for the table of reports/libraries
    planned: bool = False  # without an adapter yet: it does not run

    @property
    def name(self) -> str:
        """Of its folder; no two cells share it."""
        return f"{self.library}-{self.version}"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_.+-]+", self.library) or not re.fullmatch(r"[A-Za-z0-9_.+!-]+", self.version):
            raise Mistake(f"{self.library!r} {self.version!r}: expected a library and a version")
        for member, default in (("adapter", f"python:{self.library}"), ("module", self.library)):
            if not getattr(self, member):
                object.__setattr__(self, member, default)
        if self.requirements is None:
            object.__setattr__(self, "requirements", [f"{self.library}=={self.version}"])
        if self.recipe and not self.requirements:
            raise Mistake(f"{self.name}: recipe: it changes what is installed, and the interpreter's own packages are not ours")
        if self.recipe and not self.recipe_file.is_file():
            raise Mistake(f"{self.name}: recipe: {self.recipe}: there is none")
        chosen = [member for member in ("cases", "load_seconds", "case_seconds") if getattr(self, member) is not None]
        for member in ("download_mib", "cores", "memory_mib", "minutes", *chosen):
            if not isinstance(getattr(self, member), int) or getattr(self, member) < 1:
                raise Mistake(f"{self.name}: {member}: expected a number above 0 but found {getattr(self, member)!r}")

    @property
    def recipe_file(self) -> Path:
        """The script that is to be run, where the cell names one."""
        return RECIPES / self.recipe

    @property
    def files(self) -> list[Path]:
        """Those of ours that certify it: an adapter that comes with dlcert, its parts, and the recipe."""
        adapter = ADAPTERS / f"{self.adapter.removeprefix('python:')}.py"
        parts = PART.findall(adapter.read_text(encoding="utf-8")) if adapter.is_file() else []
        named = [adapter, *(ADAPTERS / f"{part}.py" for part in parts), *([self.recipe_file] if self.recipe else [])]
        return [file for file in named if file.is_file()]

    @property
    def options(self) -> list[str]:
        """What dlcert is told, beside what is certified by what."""
        chosen = {"--cases": self.cases, "--load-seconds": self.load_seconds, "--case-seconds": self.case_seconds}
        given = {"--jobs": self.cores, **{name: value for name, value in chosen.items() if value is not None}}
        return [text for name, value in given.items() for text in (name, str(value))]


def load(path: Path) -> dict[str, Cell]:
    """The cells of a file, by name. Raises Mistake where it says what no cell has, or a cell twice."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    known = {member.name for member in fields(Cell)}
    cells: dict[str, Cell] = {}
    for given in document.get("cell", []):
        members = {**document.get("defaults", {}), **given}
        if unknown := sorted(set(members) - known):
            raise Mistake(f"{path.name}: {given.get('library', '?')}: unknown: {', '.join(unknown)}")
        try:
            cell = Cell(**members)
        except TypeError as error:
            raise Mistake(f"{path.name}: {given}: {error}") from None
        if cell.name in cells:
            raise Mistake(f"{path.name}: {cell.name} stands there twice")
        cells[cell.name] = cell
    return cells
