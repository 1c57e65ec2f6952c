#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cells of the workflow without a network: what the file of cells may say, what pip would fetch from a planted folder
of wheels, its bound, and that each step that does not work is a result with its reason: cells_test.py PROJECT"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

if sys.version_info < (3, 11):
    print("expected CPython 3.11 or later, as the workflow does")
    sys.exit(77)

PROJECT = Path(sys.argv.pop(1))
WORKFLOW = PROJECT / "harness" / "libraries"
sys.path.insert(0, str(WORKFLOW))
sys.path.insert(0, str(PROJECT / "harness" / "libraries" / "record"))

import record_cells  # noqa: E402
from cells import Cell, Mistake, load  # noqa: E402

SCHEMA = json.loads((PROJECT / "reports" / "schema" / "outcome.schema.json").read_text())
SHIPPED = {path.stem for path in (PROJECT / "harness" / "adapters" / "python").glob("*.py")}
# In the place of dlcert: writes results, refuses, or hangs.
DLCERT = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --results ] && results=$2; shift; done
case $FATE in
  refuse) echo "dlcert: no adapter" >&2; exit 2 ;;
  hang) exec sleep 60 ;;
  interrupted) kill -TERM $$ ;;
  part) echo '{"complete": false}' > "$results"; exit 1 ;;
esac
echo '{"complete": true}' > "$results"
exit ${CODE:-0}
"""


def wheel(folder, name, version, body="", requires=()):
    """Plants a wheel."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {one}\n" for one in requires)
    files = {f"{name}.py": body, f"{info}/METADATA": metadata,
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))


def toml(value):
    """A value of a cell as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {json.dumps(item)}" for name, item in value.items()) + "}"
    return json.dumps(value)


class File(unittest.TestCase):
    """What cells.toml says."""

    def load(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "cells.toml")
            path.write_text(text)
            return load(path)

    def test_each_cell_has_its_adapter_unless_it_is_planned(self):
        for cell in load(WORKFLOW / "cells.toml").values():
            with self.subTest(cell.name):
                there = cell.adapter.removeprefix("python:") in SHIPPED
                self.assertEqual(there, not cell.planned, "an adapter that is there is no longer planned")

    def test_defaults_hold_where_a_cell_says_nothing(self):
        cells = self.load("[defaults]\nminutes = 3\n[[cell]]\nlibrary='a'\nversion='1'\n[[cell]]\nlibrary='b'\nversion='2'\nminutes=9\n")
        self.assertEqual([cell.minutes for cell in cells.values()], [3, 9])
        self.assertEqual((cells["a-1"].adapter, cells["a-1"].requirements), ("python:a", ["a==1"]))

    def test_dlcert_is_told_what_a_cell_chooses_and_nothing_else(self):
        self.assertEqual(Cell("a", "1").options, ["--jobs", "1"])
        self.assertEqual(Cell("a", "1", cores=2, cases=9, load_seconds=120).options,
                         ["--jobs", "2", "--cases", "9", "--load-seconds", "120"])

    def test_mistakes_are_told(self):
        for text in ("[[cell]]\nlibrary='a'\nversion='1'\nbound=3\n", "[[cell]]\nlibrary='a'\n", "[[cell]]\nlibrary='../a'\nversion='1'\n",
                     "[[cell]]\nlibrary='a'\nversion='1'\ncases=0\n",
                     "[[cell]]\nlibrary='a'\nversion='1'\nrecipe='none_of_the_kind.py'\n",
                     "[[cell]]\nlibrary='a'\nversion='1'\nrecipe='relink_cupy.py'\nrequirements=[]\n", "[[cell]]\nlibrary='a'\nversion='1'\n" * 2):
            with self.subTest(text), self.assertRaises(Mistake):
                self.load(text)

    def test_a_cell_rests_on_its_adapter_with_all_parts_and_on_its_recipe(self):
        def files(text):
            (cell,) = self.load(f"[[cell]]\nversion='1'\n{text}\n").values()
            return [file.name for file in cell.files]

        self.assertEqual(files("library='torch'"), ["torch.py", "_torch_cuda.py"])
        self.assertEqual(files("library='cuda_core_buffer'"), ["cuda_core_buffer.py", "_cuda_core_devices.py"])
        self.assertEqual(files("library='cupy'\nrecipe='relink_cupy.py'"), ["cupy.py", "relink_cupy.py"])
        self.assertEqual(files("library='of_one_s_own'"), [])


def plant(folder):
    """Plants wheels, and a dlcert, in a folder."""
    wheels = folder / "wheels"
    wheels.mkdir()
    wheel(wheels, "acme", "1.0", "import helper\n", ["helper"])
    wheel(wheels, "helper", "2.0")
    (folder / "dlcert").write_text(DLCERT)
    (folder / "dlcert").chmod(0o755)


class Running(unittest.TestCase):
    """One cell from a folder of wheels."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        plant(self.folder)

    @property
    def wheels(self):
        return self.folder / "wheels"

    def run_cell(self, *more, fate="", code=0, **members):
        """(result folder, what was printed) of a cell of acme."""
        cell = {"library": "acme", "version": "1.0", "python": sys.executable, **members}
        text = "[[cell]]\n" + "".join(f"{name} = {toml(value)}\n" for name, value in cell.items())
        (self.folder / "cells.toml").write_text(text)
        result = self.folder / "results" / f"acme-{cell['version']}"
        environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "FATE": fate, "CODE": str(code)}
        ran = subprocess.run([sys.executable, WORKFLOW / "run_cell.py", f"acme-{cell['version']}", "--cells", self.folder / "cells.toml",
                              "--dlcert", self.folder / "dlcert", "--venvs", self.folder / "venvs", "--result", result, *more],
                             env=environment, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(ran.returncode, 1 if fate == "interrupted" else 0, ran.stderr)
        return result, ran.stdout + ran.stderr

    def failure(self, stage, **members):
        """The reason of a cell that must fail in this stage; the schema allows its result."""
        result, _ = self.run_cell(**members)
        failed = json.loads((result / "failed.json").read_text())
        self.assertEqual(failed["stage"], stage, failed)
        from jsonschema import validate
        validate({**failed, "machine": "this"}, SCHEMA)
        return failed["reason"]


class Installed(Running):
    """A cell whose environment is installed once, for all of these."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        plant(cls.folder)

    def setUp(self):
        pass

    def test_a_cell_is_certified_in_an_environment_of_its_own(self):
        for code in (0, 1, 3):
            result, printed = self.run_cell(code=code)
            self.assertEqual(sorted(path.name for path in result.iterdir()), ["certificate.txt", "packages.txt", "results.json"])
        self.assertEqual((result / "packages.txt").read_text(), "acme==1.0\nhelper==2.0\n")
        self.assertNotIn("MiB", printed, "what is installed as a whole is taken again")

    def test_exactly_the_planned_files_are_installed(self):
        self.run_cell()
        digest = hashlib.sha256((self.wheels / "acme-1.0-py3-none-any.whl").read_bytes()).hexdigest()
        self.assertIn(f"acme==1.0 --hash=sha256:{digest}", (self.folder / "venvs" / "acme-1.0" / "lock.txt").read_text())

    def test_a_refusal_of_dlcert_is_no_verdict(self):
        self.assertEqual(self.failure("certify", fate="refuse"), "exit code 2: dlcert: no adapter")
        self.assertEqual(self.failure("certify", fate="part")[:11], "exit code 1")

    def test_an_interruption_is_no_result(self):
        result, printed = self.run_cell(fate="interrupted")
        self.assertIn("acme-1.0: dlcert was ended by SIGTERM from outside", printed)
        self.assertFalse((result / "failed.json").exists())

    def test_the_environment_of_a_cell_reaches_it(self):
        self.assertIn("exit code 2", self.failure("certify", environment={"FATE": "refuse"}))


class Installing(Running):
    """A cell from nothing."""

    def test_an_environment_can_be_discarded(self):
        result, _ = self.run_cell("--discard")
        self.assertTrue((result / "results.json").exists())
        self.assertEqual(list((self.folder / "venvs").iterdir()), [])

    def test_other_requirements_make_another_environment(self):
        self.run_cell()
        wheel(self.wheels, "acme", "1.0.post1")
        result, _ = self.run_cell(requirements=["acme==1.0.post1"])
        self.assertEqual((result / "packages.txt").read_text(), "acme==1.0.post1\n")

    def test_a_download_beyond_its_bound_is_not_made(self):
        wheel(self.wheels, "helper", "3.0", "# " + os.urandom(1 << 20).hex())
        reason = self.failure("download", download_mib=1)
        self.assertRegex(reason, r"^download_mib: 2 files take 2\.\d MiB, the bound is 1 MiB; the largest: helper 3\.0, 2\.\d MiB$")
        self.assertFalse(list((self.folder / "venvs").rglob("helper.py")))

    def test_what_has_no_wheel_fails_to_install(self):
        (self.wheels / "acme-8.tar.gz").write_bytes(b"")
        self.assertIn("acme==8", self.failure("install", version="8"))

    def test_what_does_not_import_says_why(self):
        wheel(self.wheels, "acme", "2.0", "import nothing_of_the_kind\n")
        self.assertEqual(self.failure("import", version="2.0"), "ModuleNotFoundError: No module named 'nothing_of_the_kind'")

    def test_what_crashes_when_imported_says_how(self):
        wheel(self.wheels, "acme", "2.0", "import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n")
        self.assertEqual(self.failure("import", version="2.0"), "ended by SIGILL")

    def test_without_its_dependencies_it_may_not_import(self):
        self.assertEqual(self.failure("import", dependencies=False), "ModuleNotFoundError: No module named 'helper'")

    def recipe(self, text):
        """The path of a recipe with this text, which first counts that it runs."""
        path = self.folder / "recipe.py"
        path.write_text(f"open({str(self.folder / 'runs')!r}, 'a').write('.')\n{text}")
        return str(path)

    def runs(self):
        """How often a recipe ran."""
        return len((self.folder / "runs").read_text())

    def test_a_recipe_changes_what_is_imported_and_is_followed_once(self):
        wheel(self.wheels, "acme", "2.0", "import made_by_the_recipe\n")
        make = "import pathlib, sysconfig\npathlib.Path(sysconfig.get_path('purelib'), 'made_by_the_recipe.py').write_text('')\n"
        for _ in range(2):
            result, _ = self.run_cell(version="2.0", recipe=self.recipe(make))
            self.assertTrue((result / "results.json").exists())
        self.assertEqual(self.runs(), 1)
        self.run_cell(version="2.0", recipe=self.recipe(make + "# another text\n"))
        self.assertEqual(self.runs(), 2)

    def test_an_environment_without_the_recipe_is_another_one(self):
        make = "import pathlib, sysconfig\npathlib.Path(sysconfig.get_path('purelib'), 'nothing_of_the_kind.py').write_text('')\n"
        wheel(self.wheels, "acme", "2.0", "import nothing_of_the_kind\n")
        self.run_cell(version="2.0", recipe=self.recipe(make))
        self.assertEqual(self.failure("import", version="2.0"), "ModuleNotFoundError: No module named 'nothing_of_the_kind'")

    def test_a_recipe_that_fails_says_why_and_is_followed_again(self):
        for text, why in (("raise SystemExit('no compiler')\n", "no compiler"), ("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n", "ended by SIGILL")):
            path = self.recipe(text)
            for _ in range(2):
                self.assertEqual(self.failure("recipe", recipe=path), f"{path}: {why}")
        self.assertEqual(self.runs(), 4)


class Failing(Running):
    """What comes to no environment, and what is recorded."""

    def test_what_is_not_there_fails_to_install(self):
        self.assertIn("acme==7", self.failure("install", version="7"))

    def test_where_pip_looked_is_not_told(self):
        import download
        with self.assertRaises(download.Failed) as failed:
            download.run_pip(["sh", "-c", "echo 'ERROR: no https://me:secret@host.example/simple/acme' >&2; exit 1"])
        self.assertEqual(failed.exception.reason, "ERROR: no <index>/simple/acme")
        self.assertNotIn("host", failed.exception.output)

    def test_no_interpreter_is_a_result(self):
        self.assertEqual(self.failure("interpreter", python="python9.9"), "python: python9.9: there is none")

    def test_the_time_of_a_cell_is_bounded(self):
        sys.path.insert(0, str(WORKFLOW))
        import run_cell
        with self.assertRaises(run_cell.Failed) as failed:
            run_cell.run("certify", ["sleep", "60"], dict(os.environ), 1)
        self.assertEqual(failed.exception.reason, "minutes: it did not end in time, which left it 1 s")

    def test_a_failed_cell_is_recorded(self):
        result, _ = self.run_cell(version="7")
        command = [sys.executable, WORKFLOW / "record_cells.py", "--cells", self.folder / "cells.toml", "--into", self.folder / "into", result]
        subprocess.run(command, check=True, capture_output=True)
        self.assertIn("| none, install: ERROR: No matching distribution found for acme==7 |", (self.folder / "into" / "README.md").read_text())

    def test_a_failed_import_is_recorded_without_the_path_of_its_environment(self):
        result, _ = self.run_cell(version="7")
        failed = json.loads((result / "failed.json").read_text())
        output = f'File "{self.folder}/venvs/acme-7/lib/acme.py", line 1'
        (result / "failed.json").write_text(json.dumps({**failed, "stage": "import", "output": output}))
        command = [sys.executable, WORKFLOW / "record_cells.py", "--cells", self.folder / "cells.toml", "--into", self.folder / "into", result]
        subprocess.run(command, check=True, capture_output=True)
        recorded = json.loads((self.folder / "into" / "recorded" / "acme-7.json").read_text())
        self.assertEqual(recorded["output"], 'File "<python>/lib/acme.py", line 1')

    def test_a_cell_that_is_certified_at_last_is_no_failure(self):
        for document, left in (({"stage": "install"}, False), ({"exit_code": 0}, True)):
            path = self.folder / "recorded" / "acme-1.0.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(document))
            record_cells.forget_failure(Cell("acme", "1.0"), self.folder)
            self.assertEqual(path.exists(), left)

    def test_a_result_is_recorded_under_the_cells_name(self):
        cell = Cell("torch-cuda", "2", note="a wheel")
        command = record_cells.command_for(cell, self.folder, self.folder / "into")
        self.assertEqual(list(map(str, command[2:])), ["--into", f"{self.folder}/into", "--note", "a wheel", "--library", "torch-cuda",
                                                       f"{self.folder}/results.json"])


class Plan(unittest.TestCase):
    """Snakemake's, where it is at hand."""

    def test_every_cell_is_in_the_plan(self):
        try:
            import snakemake  # noqa: F401
        except ImportError:
            self.skipTest("Snakemake is not at hand")
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([sys.executable, "-m", "snakemake", "--dry-run", "--snakefile", WORKFLOW / "Snakefile", "--cores", "1",
                                  "--directory", folder, "--config", f"dlcert={sys.executable}"], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for cell in load(WORKFLOW / "cells.toml").values():
            self.assertEqual(f"wildcards: cell={cell.name}\n" in ran.stdout + ran.stderr, not cell.planned, cell.name)


if __name__ == "__main__":
    unittest.main()
