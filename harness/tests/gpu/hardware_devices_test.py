#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""harness/tools/hardware_devices over a fake driver, the stand-in for NVML and a fake nvidia-smi: SCRIPT CUDA NVML"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT, CUDA, NVML = sys.argv[1:4]
VALUES = {None: [0, 1], "": [], "1,0": [1, 0], "1,-1,0": [1], "0,0": [], "1,9,0": [1]}
UUIDS = ["GPU-01010101-0101-0101-0101-010101010101", "GPU-02020202-0202-0202-0202-020202020202"]


class HardwareDevices(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        cases = [{"value": value, "policies": {"driver": {"devices": {"2": devices}}}}
                 for value, devices in VALUES.items()]
        (self.folder / "vectors.json").write_text(json.dumps({"cases": cases}), encoding="ascii")
        self.show_power(81.23)

    def show_power(self, watts):
        program = self.folder / "nvidia-smi"
        program.write_text("#!/bin/sh\n" + "".join(f"echo '{uuid}, 40, {watts}, 1410, 16384'\n" for uuid in UUIDS),
                           encoding="ascii")
        program.chmod(0o755)

    def run_script(self, driver=CUDA, **environment):
        settings = ";".join(["devices=2", "device.*.power=81234"]
                            + [f"device.{i}.uuid={uuid}" for i, uuid in enumerate(UUIDS)])
        libraries = [str(Path(library).parent) for library in (driver, NVML)]
        done = subprocess.run(
            [sys.executable, SCRIPT, "--vectors", self.folder / "vectors.json", "--generated", "3",
             "--output", self.folder / "devices.json"], text=True, capture_output=True, check=False,
            env=os.environ | {"DLCERT_MANAGEMENT": settings, "PATH": f"{self.folder}:{os.environ['PATH']}",
                              "LD_LIBRARY_PATH": ":".join(libraries)} | environment)
        return done.returncode, done.stdout

    def test_a_driver_that_keeps_the_rules_agrees(self):
        code, text = self.run_script()
        self.assertEqual(code, 0, text)
        self.assertIn("9 values, 7 compared, 0 differences", text)
        written = json.loads((self.folder / "devices.json").read_text(encoding="ascii"))
        self.assertEqual(written["devices"], UUIDS)
        self.assertEqual(written["driver"], 12040)
        self.assertEqual(written["values"][2]["uuids"], UUIDS[::-1])

    def test_a_driver_that_breaks_a_rule_is_told(self):
        code, text = self.run_script(FAKE_CUDA_IGNORES_STOP="1")
        self.assertEqual(code, 1, text)
        self.assertIn("CUDA_VISIBLE_DEVICES='1,-1,0': expected", text)

    def test_a_measurement_in_another_unit_is_told(self):
        self.show_power(81234)
        code, text = self.run_script()
        self.assertEqual(code, 1, text)
        self.assertIn("NVML power.draw", text)

    def test_without_a_driver_nothing_is_shown(self):
        unusable = self.folder / "libcuda.so.1"
        unusable.write_text("", encoding="ascii")
        code, text = self.run_script(driver=unusable)
        self.assertEqual(code, 77, text)
        self.assertEqual(len(text.splitlines()), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
