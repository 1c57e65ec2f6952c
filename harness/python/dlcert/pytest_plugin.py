# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: one test for each requirement. harness/docs/pytest.md describes it.

dlcert judges once, before the collection. The tests report its verdicts. The entry point of a
wheel must have the name of this module, so that `-p dlcert.pytest_plugin` registers nothing twice.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from dlcert._error import DlcertError
from dlcert._results import Certification, Verdict, read_certification
from dlcert._run import run_in, split

_FILES = pytest.StashKey[tuple[str, str]]()  # of the results and of JUnit
_RESULT = pytest.StashKey[Certification]()
_CHOSEN = pytest.StashKey[list[str]]()  # the node IDs of dlcert's tests on the command line
_WAIVED = ("waived", "unexpected pass")
_MARKERS = {"dlcert": "a test of dlcert", "must": "a requirement of the level MUST",
            "should": "a requirement of the level SHOULD", "may": "a requirement of the level MAY"}


class DlcertWarning(UserWarning):
    """A requirement that the library breaks, and need not keep."""


class Broken(Exception):
    """What a failed test reports; str() is the whole text."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dlcert", "DLPack requirements as tests")
    group.addoption("--dlcert", action="append", default=[], metavar="ADAPTER",
                    help="judge the library of this adapter, such as python:numpy; repeatable")
    group.addoption("--dlcert-args", default="", metavar="ARGUMENTS",
                    help="arguments of `dlcert certify`, in one string: '--cases 9 --seed 2'")


def pytest_configure(config: pytest.Config) -> None:
    for name, text in _MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {text}")
    if config.getoption("--dlcert"):  # pytest would look for files of these names
        config.stash[_CHOSEN] = [one for one in config.args if one.startswith("dlcert::")]
        config.args[:] = [one for one in config.args if not one.startswith("dlcert::")]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Judges, or reads in a worker of pytest-xdist what its controller has judged."""
    config = session.config
    if not config.getoption("--dlcert"):
        return
    try:
        if hasattr(config, "workerinput"):
            results, junit = config.workerinput["dlcert"]
            report = ""
        else:
            results, junit, report = _judge(config)
        result = read_certification(Path(results), Path(junit), report)
    except DlcertError as error:
        raise pytest.UsageError(f"dlcert: {error}") from error
    config.stash[_FILES] = (str(results), str(junit))
    config.stash[_RESULT] = result
    for area in sorted({verdict.area for verdict in result.verdicts}):
        config.addinivalue_line("markers", f"{_marker(area)}: a requirement of the area {area}")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hands the files to a worker of pytest-xdist."""
    if _FILES in node.config.stash:
        node.workerinput["dlcert"] = node.config.stash[_FILES]


def pytest_report_header(config: pytest.Config) -> list[str]:
    result = config.stash.get(_RESULT, None)
    return [f"dlcert: {result.conclusion}"] if result else []


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector,
                               ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Adds the tests of dlcert to what the session has collected."""
    report = yield
    result = collector.config.stash.get(_RESULT, None)
    if result and isinstance(collector, pytest.Session) and report.passed:
        report.result.append(Tests.from_parent(collector, name="dlcert", nodeid="dlcert"))
    return report


class Tests(pytest.Collector):
    """The tests of a run."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        sides: dict[str, list[Verdict]] = {}
        for verdict in self.config.stash[_RESULT].verdicts:
            sides.setdefault(f"{verdict.library}-{verdict.role}", []).append(verdict)
        for name, verdicts in sides.items():
            side = Side.from_parent(self, name=name)
            side.verdicts = verdicts
            yield side
        whole = WholeRun.from_parent(self, name="certification")
        if _is_chosen(whole):
            yield whole


class Side(pytest.Collector):
    """The tests of a library in a role."""

    verdicts: list[Verdict]

    def collect(self) -> Iterator[pytest.Item]:
        for verdict in self.verdicts:
            item = OneRequirement.from_parent(self, name=verdict.requirement)
            item.judge(verdict)
            if _is_chosen(item):
                yield item


class _Test(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any, **__: Any) -> Any:
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.config.rootpath / "dlcert", 0, f"{self.nodeid.split('::')[-2]} {self.name}"


class OneRequirement(_Test):
    """The verdict on a requirement."""

    verdict: Verdict

    def judge(self, verdict: Verdict) -> None:
        """Takes the verdict, and its markers."""
        self.verdict = verdict
        for name in ("dlcert", verdict.level.lower(), _marker(verdict.area)):
            self.add_marker(name)
        if verdict.verdict in _WAIVED:
            reason = ": ".join(filter(None, (verdict.waiver, verdict.message)))
            self.add_marker(pytest.mark.xfail(raises=Broken, strict=True, reason=reason))
        elif verdict.outcome == "skipped":
            self.add_marker(pytest.mark.skip(reason=verdict.message))

    def runtest(self) -> None:
        verdict = self.verdict
        self.user_properties.append(("dlcert.verdict", verdict.verdict))
        if verdict.verdict == "waived":
            raise Broken(verdict.message)
        if verdict.outcome == "failed" and verdict.verdict != "unexpected pass":
            raise Broken(f"{verdict.message}\n{verdict.details}".rstrip())
        if verdict.outcome == "warning":
            warnings.warn_explicit(DlcertWarning(verdict.message), None, verdict.requirement, 0)


class WholeRun(_Test):
    """The exit code of the run: it also covers what belongs to no requirement."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add_marker("dlcert")

    def runtest(self) -> None:
        result = self.config.stash[_RESULT]
        if result.exit_code != 0:
            raise Broken("\n".join([f"dlcert's exit code is {result.exit_code}", *result.reasons]))


def _judge(config: pytest.Config) -> tuple[Path, Path, str]:
    cache = getattr(config, "cache", None)
    folder = cache.mkdir("dlcert") if cache else tempfile.mkdtemp(prefix="dlcert-")
    options = split(config.getoption("--dlcert-args"))
    return run_in("certify", config.getoption("--dlcert"), options, None, folder)


def _is_chosen(item: pytest.Item) -> bool:
    chosen = item.config.stash[_CHOSEN]
    return not chosen or any(f"{item.nodeid}::".startswith(f"{node}::") for node in chosen)


def _marker(area: str) -> str:
    return area.replace("-", "_")

