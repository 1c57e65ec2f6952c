# SPDX-License-Identifier: Apache-2.0
"""certify() and matrix(): their arguments, their results, their errors."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import dlcert
import pytest
from recorded import Recorded


def test_arguments_are_options_of_the_program(recorded: Recorded, tmp_path: Path) -> None:
    dlcert.certify("python:acme", areas=("abi", "capsule"), cases=5, seed=2, policies={"a": "b"},
                   waivers=tmp_path / "w.toml", python="py", options=["--strict"])
    call = recorded.calls[0]
    assert call[:2] == ["certify", "--adapter=python:acme"]
    for option in ("--area=abi", "--area=capsule", "--cases=5", "--seed=2", "--policy=a=b",
                   f"--waivers={tmp_path}/w.toml", "--python=py", "--strict"):
        assert option in call


def test_options_can_be_one_string(recorded: Recorded) -> None:
    dlcert.certify("./acme.so", options="--strict --baseline 'a b.json'")
    assert recorded.calls[0][-3:] == ["--strict", "--baseline", "a b.json"]


def test_one_area_and_this_interpreter_are_enough(recorded: Recorded) -> None:
    dlcert.certify("python:acme", areas="abi")
    assert "--area=abi" in recorded.calls[0]
    assert f"--python={sys.executable}" in recorded.calls[0]


def test_the_interpreter_is_named_once(recorded: Recorded) -> None:
    dlcert.certify("python:acme", options=["--python", "other"])
    dlcert.certify("./acme.so")
    for call in recorded.calls:
        assert not [argument for argument in call if argument.startswith("--python=")]


def test_results_are_kept_on_demand(recorded: Recorded, tmp_path: Path) -> None:
    dlcert.certify("python:acme", results=tmp_path / "acme.json")
    assert (tmp_path / "acme.json").exists()
    assert len([word for word in recorded.calls[0] if word.startswith("--results")]) == 1


def test_a_verdict_has_what_both_files_say(recorded: Recorded) -> None:
    recorded.add("abi.a", "fail", "failed", "expected 1 but found 2", area="abi", producer="dlcert",
                 consumer="acme")
    recorded.add("runtime.b", "consequence", "skipped", "consequence of abi.a", level="SHOULD",
                 consumer="", consequence_of="abi.a")
    first, second = dlcert.certify("python:acme").verdicts
    assert (first.area, first.outcome, first.cases, first.role) == ("abi", "failed", 7, "consumer")
    assert first.details == "details of it"
    assert str(first) == "abi.a  fail  acme as consumer: expected 1 but found 2"
    assert (second.role, second.consequence_of, second.level) == ("runtime", "abi.a", "SHOULD")
    assert second.outcome == "skipped" and not second.binding


def test_faults_scope_and_libraries(recorded: Recorded) -> None:
    recorded.document["faults"] = [
        {"id": "abi.a/acme/consumer", "requirement": "abi.a", "producer": "dlcert", "consumer": "acme",
         "counts": True, "consequences": ["abi.b"]}]
    recorded.document["scope"] = {
        "roles": [{"adapter": "acme", "role": "producer", "evidence": {"found": 4},
                   "core": {"tested": 1, "of": 2}},
                  {"adapter": "acme", "role": "runtime", "evidence": {"found": 0}}],
        "features": [{"adapter": "acme", "role": "producer", "feature": "capsules",
                      "coverage": "partial", "tested": 1, "failed": 0, "of": 3}]}
    recorded.ends("a\nnot certified (exit code 1):\n  this\n  that", 1, ("this", "that"))
    result = dlcert.certify("python:acme")
    assert result.conclusion == "not certified (exit code 1):\n  this\n  that"
    assert str(result) == result.conclusion + "\n  abi.a/acme/consumer"
    assert result.faults[0].consequences == ("abi.b",)
    assert result.libraries == (dlcert.Library("acme", "1.0", "python:./acme.py"),)
    assert [(role.evidence, role.core) for role in result.roles] == [(4, (1, 2)), (0, None)]
    assert result.features[0].coverage == "partial"
    assert (result.exit_code, result.reasons, result.certified) == (1, ("this", "that"), False)


def test_a_selection_is_not_certified(recorded: Recorded) -> None:
    assert dlcert.certify("python:acme").certified
    recorded.document["filtered"] = True
    recorded.write()
    assert not dlcert.certify("python:acme").certified


def test_results_are_frozen(recorded: Recorded) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        dlcert.certify("python:acme").exit_code = 1  # type: ignore[misc]


def test_html_lists_what_needs_a_look_and_escapes_it(recorded: Recorded) -> None:
    recorded.add("abi.a", "fail", "failed", "<script>&", area="abi")
    recorded.add("abi.b", "pass", "passed")
    text = dlcert.certify("python:acme")._repr_html_()
    assert "&lt;script&gt;&amp;" in text and "<script>" not in text
    assert "abi.a" in text and "abi.b" not in text
    assert "1 fail, 1 pass" in text


@pytest.mark.parametrize("exit_code, errors, line", [
    (2, "dlcert: preflight: acme: lost\ndlcert: unknown area 'x': expected abi", "unknown area 'x': expected abi"),
    (2, "", "dlcert printed no reason"),
])
def test_nothing_judged_is_an_error(recorded: Recorded, exit_code: int, errors: str, line: str) -> None:
    recorded.ends("", exit_code, errors=errors)
    with pytest.raises(dlcert.DlcertError) as caught:
        dlcert.certify("python:acme", areas="x")
    assert str(caught.value) == line
    assert caught.value.output.strip() == errors


@pytest.mark.parametrize("file, text", [
    ("results", "{"), ("results", '{"complete": false}'), ("junit", "<testsuites>"),
    ("junit", "<testsuites />"),
])
def test_damaged_files_are_an_error(recorded: Recorded, file: str, text: str) -> None:
    recorded.add("abi.a", "pass", "passed")
    (recorded.folder / file).write_text(text)
    with pytest.raises(dlcert.DlcertError, match="cannot read the results"):
        dlcert.certify("python:acme")


def test_a_matrix_has_a_cell_for_each_pair(recorded: Recorded) -> None:
    recorded.document["adapters"].append({"name": "<b>", "version": "2", "path": "python:b"})
    recorded.document["matrix"] = {"cells": [
        {"producer": producer, "consumer": consumer, "state": "partial", "found": 96, "refused": 12,
         "failed": 4, "reason": "", "losses": [{"requirement": "abi.a", "how": "refused",
                                                "fault": "consumer", "text": "no"}]}
        for producer in ("acme", "<b>") for consumer in ("acme", "<b>")]}
    recorded.ends("no pair is broken: acme 1.0")
    result = dlcert.matrix(["python:acme", "python:b"], cases=3)
    assert recorded.calls[0][:3] == ["matrix", "--adapter=python:acme", "--adapter=python:b"]
    assert result.cell("acme", "<b>").losses[0].fault == "consumer"
    assert "acme to <b>: partial 96/112" in str(result)
    assert result._repr_html_().count("<td>partial 96/112</td>") == 4
    assert "&lt;b&gt;" in result._repr_html_() and "<b>" not in result._repr_html_()
    with pytest.raises(KeyError):
        result.cell("acme", "other")
