# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a GoogleTest program that mostly wait, each in a process of its own, several at once.

tests_at_once.py PROGRAM AT_ONCE FILTER: runs the tests that GoogleTest's filter takes. It prints the whole output of each
that fails, and its name at the end. A test that is skipped, or takes longer than two minutes, fails; so does a program that
has none.
"""

import concurrent.futures
import subprocess
import sys

SECONDS = 120


def tests_of(program, taken):
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + taken], stdout=subprocess.PIPE, text=True, check=True).stdout
    suite, tests = "", []
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            tests.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return tests


def what_failed(program, test):
    """The output of the test; None where it passes."""
    try:
        run = subprocess.run([program, "--gtest_filter=" + test], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=SECONDS)
    except subprocess.TimeoutExpired as slow:
        return f"{(slow.stdout or b'').decode(errors='replace')}\ntook longer than {SECONDS} s\n"
    text = run.stdout.decode(errors="replace")
    passed = run.returncode == 0 and "[  PASSED  ] 1 test." in text and "[  SKIPPED ] 1 test" not in text
    return None if passed else f"{text}\nexit status {run.returncode}\n"


def main(program, at_once, taken):
    tests = tests_of(program, taken)
    failed = []
    with concurrent.futures.ThreadPoolExecutor(int(at_once)) as pool:
        for test, why in zip(tests, pool.map(lambda test: what_failed(program, test), tests)):
            if why is not None:
                failed.append(test)
                print(f"---- {test}\n{why}", flush=True)
    print(f"{len(tests) - len(failed)} of {len(tests)} tests passed")
    for test in failed:
        print(f"FAILED {test}: repeat it by {program} --gtest_filter={test}")
    return 0 if tests and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
