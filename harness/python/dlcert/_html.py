# SPDX-License-Identifier: Apache-2.0
"""Results as HTML, for notebooks. All texts are escaped: libraries wrote some of them."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlcert._results import Certification, Matrix

_QUIET = ("pass", "not applicable")  # counted, not listed


def certification(result: Certification) -> str:
    """Returns the conclusion, a row for each verdict that needs a look, and the counts."""
    rows = [(one.level, one.requirement, one.sides, one.verdict, one.message)
            for one in result.verdicts if one.verdict not in _QUIET]
    counts = Counter(one.verdict for one in result.verdicts)
    text = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    head = ("level", "requirement", "library", "verdict", "message")
    return _paragraph(result.conclusion) + (_table(head, rows) if rows else "") + _paragraph(text)


def matrix(result: Matrix) -> str:
    """Returns the conclusion and the grid: a row for each producer, a column for each consumer."""
    names = [library.name for library in result.libraries]
    rows = [(producer, *(str(result.cell(producer, consumer)) for consumer in names))
            for producer in names]
    return _paragraph(result.conclusion) + _table(("producer \\ consumer", *names), rows)


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(lines)}</table>"


def _row(tag: str, texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"
