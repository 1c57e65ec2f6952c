# SPDX-License-Identifier: Apache-2.0
"""The requirements, as the register has them now."""

from __future__ import annotations

import functools
import json

from places import REPORTS

REGISTER = REPORTS.parent / "conformance" / "requirements"


@functools.cache
def requirements() -> dict[str, dict]:
    """Each requirement, by its ID."""
    return {row["id"]: row for path in sorted(REGISTER.glob("*.json"))
            for row in json.loads(path.read_text(encoding="utf-8"))["requirements"]}
