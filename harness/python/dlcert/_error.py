# SPDX-License-Identifier: Apache-2.0
"""The error of this package."""

from __future__ import annotations


class DlcertError(Exception):
    """dlcert could not judge: an argument, an option or the adapter is wrong, or dlcert itself is
    missing. str() is one line. `output` is what the program printed on standard error."""

    def __init__(self, line: str, output: str = "") -> None:
        super().__init__(line)
        self.output = output
