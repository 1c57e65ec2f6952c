# SPDX-License-Identifier: Apache-2.0
"""What work.py says of counts that are not those of work.json."""

import copy
import unittest

import work

COUNTS = {"version": "2.4.6", "cases": 1000, "processors": 2,
          "work": {"cases_drawn": 1000, "cases_met": 500, "forks": 0, "worker_processes": 16}}


class Work(unittest.TestCase):
    def lines(self, **changed: object) -> list[str]:
        found = copy.deepcopy(COUNTS)
        for name, value in changed.items():
            (found if name in found else found["work"])[name] = value
        return work.differences("acme", COUNTS, found)

    def expect_one(self, text: str, **changed: object) -> None:
        lines = self.lines(**changed)
        self.assertEqual(1, len(lines), lines)
        self.assertIn(text, lines[0])

    def test_equal_counts_and_a_tenth_more_or_less_pass(self) -> None:
        self.assertEqual([], self.lines())
        self.assertEqual([], self.lines(cases_drawn=1100, cases_met=550))
        self.assertEqual([], self.lines(cases_drawn=900))

    def test_more_than_a_tenth_above_is_named_with_both_numbers(self) -> None:
        self.expect_one("acme: cases_drawn: expected at most 1100 but found 1101", cases_drawn=1101)
        self.expect_one("acme: forks: expected at most 0 but found 1", forks=1)

    def test_one_case_less_that_met_its_rule_fails(self) -> None:
        self.expect_one("acme: cases_met: expected at least 500 but found 499", cases_met=499)

    def test_more_than_a_tenth_below_asks_for_new_numbers(self) -> None:
        self.expect_one("remake work.json", cases_drawn=899)

    def test_a_count_that_work_json_lacks_is_a_difference(self) -> None:
        self.expect_one("acme: threads: expected at most 0 but found 7", threads=7)

    def test_a_count_that_the_results_lack_is_a_difference(self) -> None:
        found = copy.deepcopy(COUNTS)
        found["work"] = {}
        self.assertEqual(3, len(work.differences("acme", COUNTS, found)))

    def test_workers_are_compared_where_there_are_as_many_processors(self) -> None:
        self.expect_one("worker_processes: expected at most 17 but found 24", worker_processes=24)
        self.assertEqual([], self.lines(processors=4, worker_processes=24))

    def test_another_release_is_not_compared(self) -> None:
        self.expect_one("acme: version: expected 2.4.6 but found 2.5.0: remake", version="2.5.0", cases_drawn=9999)
        self.expect_one("acme: cases: expected 1000 but found 2000: remake", cases=2000, cases_drawn=9999)

    def test_results_of_a_selection_are_refused(self) -> None:
        with self.assertRaises(SystemExit):
            work.entry_of({"complete": True, "filtered": True})


if __name__ == "__main__":
    unittest.main()
