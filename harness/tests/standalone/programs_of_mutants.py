# SPDX-License-Identifier: Apache-2.0
"""programs_of_mutants.py DLCERT MODULE REFERENCE CC: saved programs in C show the faults of mutants.

Each exits with 1 for the mutant, with 0 for the reference and with 2 for a module that is not there.
The run that saved it does not say that it is not confirmed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

COLUMNS = 100
# The mutant, and the requirement that fails by it: values, values behind the tensor, a refusal, a
# deleter, a crash.
MUTANTS = {
    "uint32-exported-as-int32": "abi.dtype.uint",
    "strides-in-bytes": "abi.data.device-address",
    "consumer-refuses-older-minor": "abi.version.minor-mismatch-usable",
    "foreign-major-not-deleted": "abi.version.major-mismatch-delete",
    "negative-ndim-unchecked": "abi.ndim.too-large-rejected",
}
NO_MODULE = "/nowhere/libnone.so"


def run(words: list[str], mutant: str) -> subprocess.CompletedProcess:
    return subprocess.run(words, env={**os.environ, "DLCERT_MUTANT": mutant}, capture_output=True,
                          text=True, timeout=300, check=False)


def judge_program(program: Path, mutant: str, modules: dict[str, int], compiler: str) -> list[str]:
    """What is wrong with a program."""
    wrong = [f"a line of {len(line)} columns: {line}"
             for line in program.read_text().splitlines() if len(line) > COLUMNS]
    binary = program.with_suffix("")
    built = run([*compiler.split(), "-std=c11", "-Wall", "-Wextra", "-o", str(binary), str(program), "-ldl"],
                mutant)
    if built.returncode != 0 or built.stderr:
        return wrong + [built.stderr]
    for module, code in modules.items():
        ran = run([str(binary), module], mutant)
        if ran.returncode != code:
            wrong.append(f"{module}: exit code {ran.returncode}, not {code}: {ran.stdout}")
    return wrong


def judge(dlcert: str, module: str, reference: str, compiler: str, mutant: str) -> list[str]:
    """What is wrong with the programs of a mutant."""
    rule = MUTANTS[mutant]
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "r.json")
        ran = run([dlcert, "run", rule, "--adapter", module, "--no-preflight", "--results",
                   str(results)], mutant)
        if not results.exists():
            return [f"no results: {ran.stderr}"]
        states = [check["program_run"]["state"]
                  for result in json.loads(results.read_text())["results"]
                  for check in result["checks"] if "program_run" in check]
        # Of a failure that only dlcert can see, no program is there to run.
        wrong = [f"the program is {state}" for state in states
                 if state not in ("confirmed", "not run")]
        programs = [path for path in Path(f"{results}.counterexamples").glob("*.c")
                    if not path.name.endswith(".recorded.c")]
        if not programs:
            wrong.append("no program is saved")
        for program in programs:
            found = judge_program(program, mutant, {module: 1, reference: 0, NO_MODULE: 2}, compiler)
            wrong += [f"{program.name}: {what}\n{program.read_text()}" for what in found]
        return wrong


def main() -> int:
    wrong = [f"{mutant}: {what}" for mutant in MUTANTS for what in judge(*sys.argv[1:], mutant)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
