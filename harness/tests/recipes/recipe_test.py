# SPDX-License-Identifier: Apache-2.0
"""What is followed is what the page says, and a step that fails is not passed over."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import recipe

PAGE = """# Page
## Other
```sh
false
```
## Add a thing
1. The entry:
   ```json things.json
   {"id": "b"}
   ```
2. The code:
   ```cpp old.cpp
   int b;
   ```
   ```cpp new.cpp
   int c;
   ```
3. Try it:
   ```sh
   test -e new.cpp
   ```
## Next
"""


class Recipe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        (self.tree / "things.json").write_text('{"things": [{"id": "a"}]}')
        (self.tree / "old.cpp").write_text("namespace {\nint a;\n}  // namespace\nint z;\n")

    def test_only_the_blocks_of_its_section_are_read(self):
        blocks = recipe.blocks_of(PAGE, "Add a thing")
        self.assertEqual([(b.language, b.file) for b in blocks],
                         [("json", "things.json"), ("cpp", "old.cpp"), ("cpp", "new.cpp"), ("sh", "")])

    def test_a_command_in_the_text_is_found(self):
        page = PAGE.replace("3. Try it:", "3. Try it, `cmake --build build` first, then `new.cpp`:")
        self.assertEqual(recipe.stray_commands(page, "Add a thing"), ["cmake --build build"])
        self.assertEqual(recipe.stray_commands(PAGE, "Add a thing"), [])

    def test_entries_code_and_files_are_added(self):
        recipe.follow(recipe.blocks_of(PAGE, "Add a thing"), self.tree)
        self.assertEqual(json.loads((self.tree / "things.json").read_text()), {"things": [{"id": "a"}, {"id": "b"}]})
        self.assertEqual((self.tree / "old.cpp").read_text(), "namespace {\nint a;\nint b;\n\n}  // namespace\nint z;\n")
        self.assertEqual((self.tree / "new.cpp").read_text(), "int c;\n")

    def test_a_command_that_fails_ends_it(self):
        with self.assertRaises(subprocess.CalledProcessError):
            recipe.follow(recipe.blocks_of(PAGE, "Other"), self.tree)

    def test_a_page_without_the_section_is_refused(self):
        with self.assertRaises(ValueError):
            recipe.blocks_of(PAGE, "Add a dependency")

    def test_code_needs_its_place(self):
        (self.tree / "old.cpp").write_text("int a;\n")
        with self.assertRaises(ValueError):
            recipe.follow(recipe.blocks_of(PAGE, "Add a thing"), self.tree)


if __name__ == "__main__":
    unittest.main()
