# SPDX-License-Identifier: Apache-2.0
"""Fixtures: recorded results, and a program that hands them out in the place of dlcert."""

from __future__ import annotations

import dlcert._run  # noqa: F401  pytester forgets what is first imported in its runs
import pytest
from recorded import Recorded

pytest_plugins = ["pytester"]


@pytest.fixture
def recorded(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Results without verdicts, which the program `dlcert` writes from now on."""
    made = Recorded(tmp_path_factory.mktemp("recorded"))
    monkeypatch.setenv("DLCERT", str(made.program))
    return made
