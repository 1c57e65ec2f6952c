# SPDX-License-Identifier: Apache-2.0
"""The plugin of pytest: a test for each requirement."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from recorded import Recorded

Run = Callable[..., pytest.RunResult]
PLUGIN = ("-p", "dlcert.pytest_plugin", "--strict-markers", "--dlcert", "python:acme")


@pytest.fixture
def run(pytester: pytest.Pytester, recorded: Recorded) -> Run:
    """Runs pytest with the plugin."""
    return lambda *arguments: pytester.runpytest(*PLUGIN, *arguments)


@pytest.mark.parametrize("verdict, outcome, level, expected", [
    ("pass", "passed", "MUST", {"passed": 1}),
    ("fail", "failed", "MUST", {"failed": 1}),
    ("crash", "errored", "MUST", {"failed": 1}),
    ("timeout", "errored", "MUST", {"failed": 1}),
    ("flaky", "errored", "SHOULD", {"failed": 1}),
    ("inconclusive", "errored", "MUST", {"failed": 1}),
    ("not run", "errored", "MUST", {"failed": 1}),
    ("inconclusive", "skipped", "SHOULD", {"skipped": 1}),
    ("not run", "skipped", "MAY", {"skipped": 1}),
    ("fail", "warning", "SHOULD", {"passed": 1, "warnings": 1}),
    ("crash", "warning", "MAY", {"passed": 1, "warnings": 1}),
    ("consequence", "skipped", "MUST", {"skipped": 1}),
    ("not judged", "skipped", "MUST", {"skipped": 1}),
    ("not applicable", "skipped", "MUST", {"skipped": 1}),
    ("waived", "skipped", "MUST", {"xfailed": 1}),
    ("unexpected pass", "failed", "MUST", {"failed": 1}),
])
def test_each_verdict(run: Run, recorded: Recorded, verdict: str, outcome: str, level: str,
                      expected: dict[str, int]) -> None:
    recorded.add("capsule.a", verdict, outcome, "the message", level=level, waiver="w.toml:1")
    run("-k", "capsule.a").assert_outcomes(**expected, deselected=1)


def test_a_failure_shows_its_message_and_details(run: Run, recorded: Recorded) -> None:
    recorded.add("capsule.a", "fail", "failed", "expected 1 but found 2")
    run().stdout.fnmatch_lines(["*_ acme-producer capsule.a _*", "expected 1 but found 2", "details of it",
                                "FAILED dlcert::acme-producer::capsule.a - expected 1 but found 2"])


def test_a_skip_and_a_warning_say_why(run: Run, recorded: Recorded) -> None:
    recorded.add("capsule.a", "consequence", "skipped", "consequence of abi.b")
    recorded.add("capsule.c", "fail", "warning", "SHOULD fail: too slow", level="SHOULD")
    run("-rs").stdout.fnmatch_lines(["*DlcertWarning: SHOULD fail: too slow", "SKIPPED * consequence of abi.b"])


def test_a_waiver_is_a_strict_xfail(run: Run, recorded: Recorded) -> None:
    recorded.add("capsule.a", "waived", "skipped", "MUST waived: broken", waiver="w.toml:1")
    recorded.add("capsule.b", "unexpected pass", "failed", waiver="w.toml:9")
    recorded.ends("not certified", 4, ("unexpected pass: capsule.b",))
    result = run("-rx")
    result.assert_outcomes(xfailed=1, failed=2)
    result.stdout.fnmatch_lines(["[[]XPASS(strict)[]] w.toml:9",
                                 "XFAIL *capsule.a - w.toml:1: MUST waived: broken"])


@pytest.mark.parametrize("exit_code", [1, 3, 4, 5])
def test_no_exit_code_but_0_is_green(run: Run, recorded: Recorded, exit_code: int) -> None:
    recorded.add("capsule.a", "pass", "passed")
    recorded.ends("not certified", exit_code, ("no evidence of acme as producer",))
    result = run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"dlcert's exit code is {exit_code}", "no evidence of acme as producer"])


def test_a_run_that_judged_nothing_is_a_usage_error(run: Run, recorded: Recorded) -> None:
    recorded.ends("", 2, errors="dlcert: unknown area 'x'")
    for arguments in ((), ("-n1",)):
        result = run(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert [line for line in result.errlines if line] == ["ERROR: dlcert: unknown area 'x'"]


def test_results_of_an_earlier_run_are_not_read(run: Run, recorded: Recorded) -> None:
    assert run().ret == pytest.ExitCode.OK
    recorded.program.write_text("#!/bin/sh\n")
    assert run().ret == pytest.ExitCode.USAGE_ERROR


def test_an_open_quote_is_a_usage_error(run: Run) -> None:
    result = run("--dlcert-args", "--waivers 'w")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: dlcert: options '--waivers 'w': No closing quotation"])


def test_levels_and_areas_are_markers(run: Run, recorded: Recorded) -> None:
    recorded.add("capsule.a", "pass", "passed")
    recorded.add("exchange.b", "pass", "passed", area="exchange-api")
    recorded.add("capsule.c", "pass", "passed", level="SHOULD")
    for expression, count in (("must", 2), ("should", 1), ("may", 0), ("exchange_api", 1), ("dlcert", 4),
                              ("capsule and not must", 1)):
        run("-m", expression).assert_outcomes(passed=count, deselected=4 - count)


def test_selections_of_pytest_work(run: Run, recorded: Recorded, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own(): pass")
    for name, outcome in (("capsule.a", "failed"), ("capsule.b", "failed"), ("capsule.c", "passed")):
        recorded.add(name, "fail" if outcome == "failed" else "pass", outcome)
    run("-x").assert_outcomes(passed=1, failed=1)
    run("-k", "capsule.c").assert_outcomes(passed=1, deselected=4)
    run().assert_outcomes(passed=3, failed=2)
    run("--lf").assert_outcomes(failed=2, deselected=3)
    run("dlcert::acme-producer::capsule.c").assert_outcomes(passed=1)
    run("dlcert::acme-producer").assert_outcomes(passed=1, failed=2)
    run("--deselect", "dlcert::acme-producer", "dlcert::certification").assert_outcomes(passed=1)


def test_a_requirement_in_two_roles_is_two_tests(run: Run, recorded: Recorded) -> None:
    recorded.add("capsule.a", "pass", "passed")
    recorded.add("capsule.a", "pass", "passed", producer="dlcert", consumer="acme")
    recorded.add("runtime.b", "pass", "passed", area="runtime", consumer="")
    run("-v").stdout.fnmatch_lines([f"dlcert::{test} PASSED *" for test in (
        "acme-producer::capsule.a", "acme-consumer::capsule.a", "acme-runtime::runtime.b", "certification")])


def test_dlcert_judges_once_also_for_many_workers(run: Run, recorded: Recorded) -> None:
    recorded.add("capsule.a", "fail", "failed", "expected 1 but found 2")
    recorded.add("capsule.b", "pass", "passed")
    recorded.add("capsule.c", "waived", "skipped", "broken", waiver="w.toml:1")
    result = run("-n2", "--dlcert-args", "--cases 5 --waivers 'a b.toml'", "--dlcert", "python:other")
    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(["dlcert: certified: acme 1.0", "FAILED *capsule.a - expected 1 but found 2"])
    assert len(recorded.calls) == 1
    assert recorded.calls[0][1:3] == ["--adapter=python:acme", "--adapter=python:other"]
    assert recorded.calls[0][-4:] == ["--cases", "5", "--waivers", "a b.toml"]


def test_nothing_runs_without_the_option(pytester: pytest.Pytester, recorded: Recorded) -> None:
    pytester.makepyfile("def test_own(): pass")
    pytester.runpytest("-p", "dlcert.pytest_plugin").assert_outcomes(passed=1)
    assert not (recorded.folder / "calls").exists()
