# SPDX-License-Identifier: Apache-2.0
"""The real program on NumPy: its files are as this package reads them."""

from __future__ import annotations

from pathlib import Path

import dlcert
import pytest

ADAPTER = '''import dlcert
import numpy


class Zeros(dlcert.Adapter):
    library = numpy
    name = "zeros"
    dtypes = frozenset({"int32"})

    def read(self, array):
        return bytes(array.nbytes)
'''


def test_numpy_keeps_the_rules_of_capsules() -> None:
    result = dlcert.certify("python:numpy", areas="capsule", cases=20)
    assert (result.exit_code, result.certified, result.faults) == (0, False, ())
    assert result.conclusion.startswith("passed, but a selection is not a certificate: numpy ")
    assert {(verdict.area, verdict.library) for verdict in result.verdicts} == {("capsule", "numpy")}
    assert {role.role for role in result.roles if role.evidence} == {"producer", "consumer"}
    passed = [verdict for verdict in result.verdicts if verdict.verdict == "pass"]
    assert passed and all(verdict.outcome == "passed" and verdict.cases for verdict in passed)


def test_a_wrong_library_fails_with_its_details(tmp_path: Path) -> None:
    file = tmp_path / "zeros.py"
    file.write_text(ADAPTER)
    results = tmp_path / "zeros.json"
    result = dlcert.certify(f"python:{file}", areas="sharing", cases=20, results=results,
                            options=["--programs", "0"])
    failed = [verdict for verdict in result.verdicts if verdict.outcome == "failed"]
    assert result.exit_code == 1 and failed and results.exists()
    assert {fault.requirement for fault in result.faults if fault.counts} <= {one.requirement for one in failed}
    assert all("expected" in one.message and f"dlcert run {one.requirement}" in one.details for one in failed)


def test_errors_are_the_lines_of_the_program() -> None:
    with pytest.raises(dlcert.DlcertError, match="^unknown area 'capsul': expected abi, capsule"):
        dlcert.certify("python:numpy", areas="capsul")
    with pytest.raises(dlcert.DlcertError, match="^--cases: expected a whole number .* but found 'many'"):
        dlcert.certify("python:numpy", cases="many")  # type: ignore[arg-type]


def test_the_plugin_reports_the_real_verdicts(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("-p", "dlcert.pytest_plugin", "--strict-markers", "--dlcert", "python:numpy",
                                "--dlcert-args", "--area capsule --cases 20", "-m", "capsule", "-v")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["dlcert::numpy-producer::capsule.fresh-per-call PASSED *"])


def test_a_matrix_of_one_library() -> None:
    result = dlcert.matrix(["python:numpy"], cases=10, options=["sharing.mutation-visible"])
    assert result.cell("numpy", "numpy").found > 0
    assert [verdict.sides for verdict in result.verdicts] == ["numpy to numpy"]
