# SPDX-License-Identifier: Apache-2.0
"""Plants one wrong example at a time and expects it to be found."""

import os
import tempfile
import unittest
from pathlib import Path

import examples


class Examples(unittest.TestCase):
    def judge(self, text):
        """What is found wrong on a page, beside which lies examples/a.c."""
        with tempfile.TemporaryDirectory() as beside, tempfile.TemporaryDirectory() as folder:
            (Path(beside) / "examples").mkdir()
            (Path(beside) / "examples" / "a.c").write_text("int a;\nint b;\n")
            return list(examples.judge(text, examples.Page(Path(beside), Path(folder), dict(os.environ))))

    def assert_right(self, text):
        self.assertEqual(self.judge(text), [])

    def assert_found(self, text, line, message):
        found = self.judge(text)
        self.assertEqual([line], [at for at, _ in found])
        self.assertIn(message, found[0][1])

    def test_commands_end_as_told(self):
        self.assert_right("```sh\ntrue\n```\n\n```sh exit=3\nexit 3\n```\n")
        self.assert_found("# Page\n```sh\nfalse\ntrue\n```\n", 2, "expected exit code 0 but found 1")
        self.assert_found("```sh exit=1\ntrue\n```\n", 1, "expected exit code 1 but found 0")
        self.assert_right("```sh exit=1\ntest \\\n  a = b\n```\n")
        self.assert_found("```sh exit=1\nfalse\nfalse\n```\n", 1, "expected one command")

    def test_output_is_what_was_printed(self):
        page = "```sh\nprintf 'a.\\nb 1\\nc\\n'\n```\n```text\n{}```\n"
        for text in ("a.\nb 1\n", "b 1\n", "a.\n...\nc\n", "...\nc\n", "b ...\nc\n"):
            self.assert_right(page.format(text))
        for text in ("b 2\n", "b\n", "a.\nc\n", "c\n...\na.\n", "ab\n"):
            self.assert_found(page.format(text), 4, "but found\na.\nb 1\nc\n")
        self.assert_found("```text\na\n```\n", 1, "expected commands before what they print")

    def test_files_are_there_for_commands(self):
        self.assert_right("```toml a/b.toml\nx = 1\n```\n```sh\ngrep -q 'x = 1' a/b.toml\n```\n")

    def test_excerpts_are_of_their_file(self):
        self.assert_right("```c examples/a.c\nint b;\n```\n")
        self.assert_found("```c examples/a.c\nint c;\n```\n", 1, "expected an excerpt of examples/a.c")
        self.assert_found("```c examples/b.c\nint c;\n```\n", 1, "No such file")

    def test_methods_are_compiled(self):
        self.assert_found("```cpp methods\nint f() { return 1; }\n```\n", 1, "expected exit code 0 but found 1")

    def test_commands_of_pipelines_are_run(self):
        self.assert_right("```yaml a.yml\njob:\n  script:\n    - touch b\n```\n```sh\ntest -e b\n```\n")
        self.assert_found("```yaml a.yml\njobs:\n  job:\n    steps:\n      - uses: a\n      - run: \"false\"\n```\n", 1,
                          "expected exit code 0 but found 1")
        self.assert_found("```yaml a.yml\njobs: {}\n```\n", 1, "expected commands in the file but found none")

    def test_what_nobody_runs_is_refused(self):
        self.assert_found("```cpp\nint a;\n```\n", 1, "expected a block that can be run but found 'cpp'")
        self.assert_found("```sh shown\nfalse\n```\n", 1, "expected a block that can be run but found 'sh shown'")
        self.assert_found("```\nfalse\n```\n", 1, "expected fences of three backticks with a language")
        self.assert_found("  ```sh\n  false\n  ```\n", 1, "expected fences of three backticks with a language")


if __name__ == "__main__":
    unittest.main()
