# SPDX-License-Identifier: Apache-2.0
"""Reads dlcert's JUnit file: what each verdict is for a test, and the text of its failure."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

_OUTCOMES = {"failure": "failed", "error": "failed", "skipped": "skipped"}


class Reported(NamedTuple):
    """A test case."""

    area: str
    outcome: str  # "passed", "warning", "skipped" or "failed"
    message: str
    details: str


def read_junit(file: Path) -> dict[tuple[str, str], Reported]:
    """Returns the test cases by the names of their suite and requirement. Raises OSError or
    ValueError if there is no such file, or no such document in it."""
    try:
        suites = ElementTree.parse(file).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{file}: {error}") from error
    return {(suite.get("name", ""), case.get("name", "")): _reported(case)
            for suite in suites for case in suite.iter("testcase")}


def _reported(case: ElementTree.Element) -> Reported:
    area = case.get("classname", "").rpartition(".")[2]
    for name, outcome in _OUTCOMES.items():
        problem = case.find(name)
        if problem is not None:
            return Reported(area, outcome, problem.get("message", ""), problem.text or "")
    warning = case.find("properties/property[@name='warning']")
    if warning is not None:
        return Reported(area, "warning", warning.get("value", ""), case.findtext("system-out", ""))
    return Reported(area, "passed", "", "")
