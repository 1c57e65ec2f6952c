# SPDX-License-Identifier: Apache-2.0
"""Plants one wrong number or link at a time and expects it to be found."""

import json
import tempfile
import unittest
from pathlib import Path

import pages

DATA = {
    "conformance/requirements/abi.json": {"area": "abi", "requirements": [{}] * 20},
    "conformance/requirements/lifetime.json": {"area": "lifetime", "requirements": [{}] * 1014},
    "conformance/policies.json": {"policies": [{}] * 11},
    "fixtures/mutants/manifest.json": {"mutants": [{}] * 30, "not_planted": [{}]},
    "fixtures/bugs.json": [{}] * 12,
}


class Pages(unittest.TestCase):
    def judge(self, text, name="README.md", then=pages.judge):
        """What is found wrong on the one page of a project."""
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder).resolve()
            for path, document in DATA.items():
                (project / path).parent.mkdir(parents=True, exist_ok=True)
                (project / path).write_text(json.dumps(document), encoding="utf-8")
            (project / "conformance/README.md").write_text("# The suite\n\n## How a *check* works\n", encoding="utf-8")
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
            return list(then(project))

    def assert_passes(self, text, name="README.md"):
        self.assertEqual(self.judge(text, name), [])

    def assert_found(self, text, line, message, name="README.md"):
        self.assertEqual(self.judge(text, name), [f"{name}:{line}: {message}"])

    # ---- numbers ----

    def test_true_numbers_pass(self):
        self.assert_passes("1034 requirements, 1,034 requirements, 11 policies, 30 mutants, 30 planted\nfaults.\n")

    def test_another_number_of_requirements_is_found(self):
        self.assert_found("# Suite\n\nThere are 1,035 requirements.\n", 3, "expected 1034 requirements but found 1,035")

    def test_each_thing_is_compared_with_its_own_data(self):
        self.assert_found("13 policies", 1, "expected 11 policies but found 13")
        self.assert_found("31 mutants", 1, "expected 30 mutants but found 31")
        self.assert_found("31 planted faults", 1, "expected 30 planted faults but found 31")
        self.assert_found("14 known bugs", 1, "expected 12 known bugs but found 14")
        self.assert_found("Twelve areas", 1, "expected 2 areas but found Twelve")

    def test_a_number_and_its_noun_may_stand_on_two_lines(self):
        self.assert_found("There are 99\nrequirements.\n", 1, "expected 1034 requirements but found 99")

    def test_tests_and_checks_are_not_counted(self):
        message = "expected no number of {}, which nothing keeps up to date, but found 2,345"
        self.assert_found("2,345 tests", 1, message.format("tests"))
        self.assert_found("2,345 checks", 1, message.format("checks"))

    def test_small_numbers_count_some_of_the_things(self):
        self.assert_passes("3 requirements, two mutants and 9 tests\n")

    def test_what_failed_in_a_run_counts_some_of_the_things(self):
        self.assert_passes("15 requirements failed: a.b; 11 requirements crash\n")

    def test_numbers_are_corrected_where_that_is_asked_for(self):
        def written(project):
            pages.write_numbers(project)
            return (project / "README.md").read_text().splitlines()

        text = "`_` 1,033 requirements, 30 mutants\n`99 mutants` and twelve\npolicies, 9 mutants\n"
        self.assertEqual(self.judge(text, then=written),
                         ["`_` 1034 requirements, 30 mutants", "`99 mutants` and 11", "policies, 9 mutants"])

    def test_a_link_after_a_short_piece_of_code_is_looked_at(self):
        self.assert_found("`_` and [a page](gone.md) and `b`\n", 1, "expected a file of the project but found a link to gone.md")

    def test_blocks_of_code_are_not_looked_at(self):
        self.assert_passes("```\n99 requirements [x](nowhere)\n```\n`99 requirements`\n")

    def test_released_versions_keep_their_numbers(self):
        self.assert_passes("# Changelog\n\n## 0.1.0\n99 requirements\n", "CHANGELOG.md")
        self.assert_found("# Changelog\n\n## Unreleased\n99 requirements\n\n## 0.1.0\n98 requirements\n", 4,
                          "expected 1034 requirements but found 99", "CHANGELOG.md")

    # ---- links ----

    def test_links_to_files_folders_headings_and_other_sites_pass(self):
        self.assert_passes("# Top\n[a](conformance) [b](conformance/README.md) [c](conformance/README.md#how-a-check-works)\n"
                           "[d](#top) [e](https://dmlc.github.io/dlpack) [f](conformance/README.md \"title\")\n")

    def test_a_link_to_nothing_is_found(self):
        self.assert_found("one\n[two](no/such.md)\n", 2,
                          "expected a file of the project but found a link to no/such.md")

    def test_a_reference_to_nothing_is_found(self):
        self.assert_found("[two][t]\n\n[t]: no/such.md\n", 3,
                          "expected a file of the project but found a link to no/such.md")

    def test_links_start_at_their_page(self):
        self.assert_found("[policies](conformance/policies.json)\n", 1,
                          "expected a file of the project but found a link to conformance/policies.json",
                          "harness/README.md")
        self.assert_passes("[policies](../conformance/policies.json)\n", "harness/README.md")

    def test_a_link_out_of_the_project_is_found(self):
        self.assert_found("[tmp](../)\n", 1, "expected a file of the project but found a link to ../")

    def test_a_heading_that_is_not_there_is_found(self):
        self.assert_found("[a](conformance/README.md#no-such)\n", 1,
                          "expected a heading of conformance/README.md but found a link to #no-such")

    def test_what_is_built_is_not_looked_at(self):
        self.assert_passes("[a](nowhere) 99 requirements\n", "build/x/README.md")
        self.assert_passes("[a](nowhere) 99 requirements\n", ".cache/README.md")


if __name__ == "__main__":
    unittest.main()
