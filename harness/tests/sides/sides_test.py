# SPDX-License-Identifier: Apache-2.0
"""sides_test.py DLCERT PYTHON NATIVE [NAME]: a library is never accused of its adapter's mistakes,
and no mistake of a library is taken for its adapter's.

NATIVE is the folder of the extension module acme_native; NAME selects cases by a part of the name.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from broken_adapters import BROKEN, source_of

HERE = Path(__file__).resolve().parent
WRONG = HERE.parent / "wrong_python"
RULES = ["abi.dtype.int", "abi.shape.extent-array", "protocol.export.values",
         "protocol.device.signature", "protocol.device.matches-export", "protocol.from.new-array"]
# Function and error; each is one library in Python and one in C. TypeError and AttributeError from
# a getter or from `tobytes` are not here: a wrong call raises the same.
FAILING = [("__dlpack__", kind) for kind in
           ("TypeError", "KeyError", "RuntimeError", "ValueError", "AttributeError", "AcmeError")]
FAILING += [("from_dlpack", kind) for kind in
            ("TypeError", "KeyError", "RuntimeError", "IndexError", "AttributeError", "AcmeError")]
FAILING += [("__dlpack_device__", kind) for kind in ("TypeError", "KeyError", "RuntimeError")]
FAILING += [("tobytes", kind) for kind in ("RuntimeError", "ValueError", "AcmeError")]
# What write() raises for a read-only view (empty: NumPy's own exception), and the two verdicts.
REFUSALS = {"BufferError": {"pass"}, "ValueError": {"not judged"}, "": {"not judged"}}
NATIVE_ONLY = [("__dlpack__", "null"), ("dtype", "RuntimeError"), ("shape", "AcmeError")]


def judged(tools: tuple[str, str, str], adapter: Path, environment: dict[str, str],
           rules: list[str] = RULES) -> dict:
    """The results of a run; with the exit code and what was printed."""
    dlcert, python, native = tools
    results = adapter.with_suffix(f".{environment.get('ACME', '')}.json")
    paths = os.pathsep.join((str(WRONG), native, str(HERE)))
    ran = subprocess.run([dlcert, "run", *rules, "--adapter", f"python:{adapter}", "--python",
                          python, "--cases", "8", "-j", "1", "--results", str(results)],
                         env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1",
                              **environment},
                         cwd=adapter.parent, capture_output=True, text=True, timeout=120,
                         check=False)
    found = json.loads(results.read_text()) if results.exists() else {"results": []}
    return {**found, "exit": ran.returncode, "text": ran.stdout + ran.stderr}


def failed(run: dict) -> list[str]:
    return [result["requirement"] for result in run["results"]
            if result["level"] == "MUST" and result["verdict"] in ("fail", "crash", "timeout")]


def not_judged(run: dict) -> int:
    return sum(result["verdict"] == "not judged" for result in run["results"])


def wrong_with_adapter(tools, name: str, folder: Path) -> tuple[str, str]:
    """What happened to a broken adapter, and what is wrong with that."""
    adapter = folder / f"{name}.py"
    adapter.write_text(source_of(name))
    expected = BROKEN[name].expected
    run = judged(tools, adapter, {})
    happened = f"exit code {run['exit']}, {not_judged(run)} not judged"
    if failed(run):
        return happened, f"{name}: the library is accused: {failed(run)}\n{run['text']}"
    if expected.startswith("not judged"):
        line = f"{expected} ({name}.py:"
        wrong = run["exit"] == 2 or line not in run["text"]
    else:
        wrong = run["exit"] != 2 or expected not in run["text"]
    return happened, f"{name}: expected '{expected}'\n{run['text']}" if wrong else ""


def wrong_with_library(tools, fault: tuple[str, str], native: bool, folder: Path) -> str:
    """What is wrong with the verdict on a library that fails so."""
    name = f"{'native' if native else 'python'} {':'.join(fault)}"
    adapter = folder / f"{name.replace(' ', '_').replace(':', '_')}.py"
    adapter.write_text((HERE / "failing_adapter.py").read_text())
    run = judged(tools, adapter, {"ACME": "native" if native else "python",
                                  "ACME_FAULT" if native else "WRONG": ":".join(fault)})
    if run["exit"] == 1 and failed(run):
        return ""
    return f"{name}: expected a failed MUST and exit code 1 but found {run['exit']}\n{run['text']}"


def wrong_with_refusal(tools, kind: str, folder: Path) -> str:
    """What is wrong with the verdict on an adapter that writes through views."""
    adapter = folder / f"view_{kind}.py"
    adapter.write_text((HERE / "view_adapter.py").read_text())
    run = judged(tools, adapter, {"REFUSAL": kind} if kind else {}, ["sharing.read-only-propagated"])
    found = {check["verdict"] for result in run["results"] for check in result["checks"]
             if check["name"] in ("read_only_tensor_stays_read_only", "read_only_bit_is_seen_beside_others")}
    expected = REFUSALS[kind]
    return "" if found == expected else f"write() raises {kind}: expected {expected} but found {found}\n{run['text']}"


def wrong_with_short_axes(tools, folder: Path) -> str:
    """What is wrong with the verdict on a library that cannot make each shape that it claims."""
    adapter = folder / "short_axes.py"
    adapter.write_text((HERE / "failing_adapter.py").read_text())
    run = judged(tools, adapter, {"ACME": "python", "WRONG": "short axes"}, ["abi.shape.extent-array"])
    for result in run["results"]:
        for check in result["checks"]:
            if check["name"] == "extents_of_empty_exports_are_kept":
                found = (check["verdict"], check["declined"], check["not_judged"])
                expected = ("not applicable", 3, 0)
                return "" if found == expected else f"short axes: expected {expected} but found {found}\n{run['text']}"
    return f"short axes: no result\n{run['text']}"


def main(dlcert: str, python: str, native: str, only: str = "") -> int:
    tools = (dlcert, python, native)
    broken = [name for name in BROKEN if only in name]
    failing = [(fault, False) for fault in FAILING] + \
        [(fault, True) for fault in FAILING + NATIVE_ONLY]
    failing = [(fault, native) for fault, native in failing if only in ":".join(fault)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        place = Path(folder)
        adapters = list(threads.map(lambda name: wrong_with_adapter(tools, name, place), broken))
        libraries = list(threads.map(
            lambda one: wrong_with_library(tools, one[0], one[1], place), failing))
        refusals = list(threads.map(lambda kind: wrong_with_refusal(tools, kind, place),
                                    [kind for kind in REFUSALS if only in f"write:{kind}"]))
        if only in "short axes":
            refusals.append(wrong_with_short_axes(tools, place))
    for happened, times in sorted(Counter(happened for happened, _ in adapters).items()):
        print(f"{times} broken adapters: {happened}")
    wrong = [text for text in [*(text for _, text in adapters), *libraries, *refusals] if text]
    kept = len(failing) - sum(map(bool, libraries))
    print(f"{kept} of {len(failing)} failing libraries keep their failure")
    print("\n".join(wrong))
    return 1 if wrong or not broken + failing + refusals else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
