# SPDX-License-Identifier: Apache-2.0
"""unraisable_test.py DLCERT PYTHON: an error that nobody could catch, in a check of another rule, is
a warning of lifetime.no-unraisable-errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OWNER = "lifetime.no-unraisable-errors"


def verdicts(dlcert: str, python: str, fault: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Verdict and message by requirement and tested role."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "r.json")
        environment = {**os.environ, "PYTHONPATH": str(HERE), "WRONG": fault}
        subprocess.run([dlcert, "run", OWNER, "protocol.from.new-array", "--adapter",
                        f"python:{HERE}/wrong_adapter.py", "--python", python, "--cases", "10",
                        "--no-preflight", "--results", results],
                       env=environment, capture_output=True, timeout=100, check=True)
        found = json.loads(results.read_text())["results"]
    return {(result["requirement"], "consumer" if result["producer"] == "dlcert" else "producer"):
            (result["verdict"], result["checks"][0].get("message", ""))
            for result in found}


def main(dlcert: str, python: str) -> int:
    right, wrong = (verdicts(dlcert, python, fault) for fault in ("", "a finalizer raises"))
    assert all(verdict == "pass" for verdict, _ in right.values()), right
    assert wrong["protocol.from.new-array", "consumer"][0] == "pass", wrong
    verdict, message = wrong[OWNER, "consumer"]
    assert verdict == "fail" and "nobody hears it" in message, wrong
    assert "while dlcert tested protocol.from.new-array" in message, wrong
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
