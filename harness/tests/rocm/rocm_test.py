#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The adapter of PyTorch in builds for ROCm, with a stand-in for the library: rocm_test.py DLCERT PYTHON

The stand-in is no PyTorch. The test shows which functions of torch.cuda the adapter calls, and how it names devices.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
HARNESS = HERE.parents[1]
ADAPTER = HARNESS / "adapters" / "python" / "torch.py"
DLCERT, PYTHON = "", ""
sys.path.insert(0, str(HARNESS / "python"))
sys.modules["_dlcert"] = types.ModuleType("_dlcert")  # of the bridge; nothing here needs it

import dlcert  # noqa: E402
from dlcert import _host  # noqa: E402

ROCM, CUDA, CPU = (10, 0), (2, 0), (1, 0)
# What a method of the adapter is given, and which function of torch.cuda it calls.
OF_ROCM = {
    "visible_devices": ((), "_parse_visible_devices"),
    "raw_device_count": ((), "_raw_device_count_amdsmi"),
    "raw_device_uuids": ((), "_raw_device_uuid_amdsmi"),
    "management_device_count": ((), "_device_count_amdsmi"),
    "management_index": ((1,), "_get_amdsmi_device_index"),
}
OF_CUDA = {method: (arguments, function.replace("amdsmi", "nvml")) for method, (arguments, function) in OF_ROCM.items()}
ANSWERS = {"_parse_visible_devices": ["1", "0"], "_raw_device_count_amdsmi": 3, "_raw_device_uuid_amdsmi": ["1"],
           "_device_count_amdsmi": 5, "_get_amdsmi_device_index": 7, "_raw_device_count_nvml": 2,
           "_raw_device_uuid_nvml": ["GPU-1"], "_device_count_nvml": 4, "_get_nvml_device_index": 6}
UNITS = {"memory_usage": dlcert.Unit.PERCENT, "utilization": dlcert.Unit.PERCENT,
         "temperature": dlcert.Unit.DEGREES_CELSIUS, "power_draw": dlcert.Unit.MILLIWATTS,
         "clock_rate": dlcert.Unit.HERTZ}


def on(device: tuple[int, int]) -> dlcert.Spec:
    """The spec of four floats on a device."""
    return dlcert.Spec(dtype=dlcert.Adapter.named_dtype("float32"), shape=(4,), strides=(1,), offset=0, storage_size=4,
                       device=device, read_only=False, padded=False, byte_strides=False, state=0)


class Rocm(unittest.TestCase):
    def setUp(self) -> None:
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (self.folder / "torch").mkdir()
        shutil.copy(HERE / "stand_in.py", self.folder / "torch" / "__init__.py")
        # Whatever is installed here, such as amdsmi, is not part of the stand-in's environment.
        paths = [str(self.folder), *(path for path in sys.path if "site-packages" not in path)]
        stack.enter_context(unittest.mock.patch.object(sys, "path", paths))

    def adapter(self, build: str, bindings: str = "") -> dlcert.Adapter:
        """The adapter of a build, and the stand-in for its library as self.torch. `bindings` is the installed module
        that asks the management library."""
        for name in [name for name in sys.modules if name.partition(".")[0] in ("torch", "amdsmi", "pynvml")]:
            del sys.modules[name]
        for path in self.folder.glob("*.py"):
            path.unlink()
        if bindings:
            (self.folder / f"{bindings}.py").touch()
        os.environ["STAND_IN_TORCH"] = build
        adapter = _host.load("torch", str(ADAPTER), "")
        self.torch = adapter.library
        return adapter

    def assert_calls(self, adapter: dlcert.Adapter, calls: dict[str, tuple[tuple[int, ...], str]]) -> None:
        for method, (arguments, function) in calls.items():
            self.torch.calls.clear()
            self.assertEqual(getattr(adapter, method)(*arguments), ANSWERS[function], method)
            self.assertEqual(self.torch.calls, [(function, *arguments)], method)

    def test_a_build_for_rocm_has_the_role_runtime_and_rocm_alone(self) -> None:
        adapter = self.adapter("2.4.1 rocm")
        self.assertEqual((adapter.runtime, adapter.vendor), ("torch-2.4", "rocm"))

    def test_other_builds_are_what_they_were(self) -> None:
        adapter = self.adapter("2.4.1 cuda")
        self.assertEqual((adapter.runtime, adapter.vendor), ("torch-2.4", "cuda"))
        adapter = self.adapter("2.4.1 cpu")
        self.assertEqual((adapter.runtime, adapter.vendor), (None, None))
        self.assertFalse(hasattr(adapter, "device_count"))

    def test_amd_smi_is_asked_for_devices(self) -> None:
        for release in ("2.4.1", "2.15.0"):
            self.assert_calls(self.adapter(f"{release} rocm"), OF_ROCM)

    def test_nvml_is_asked_in_a_build_for_cuda(self) -> None:
        self.assert_calls(self.adapter("2.4.1 cuda"), OF_CUDA)

    def test_a_release_that_cannot_ask_amd_smi_has_no_such_methods(self) -> None:
        os.environ["STAND_IN_WITHOUT"] = ",".join(function for _, function in OF_ROCM.values())
        self.addCleanup(os.environ.pop, "STAND_IN_WITHOUT")
        adapter = self.adapter("2.3.1 rocm")
        lacking = {method for method in OF_ROCM if getattr(adapter, method) is None}
        self.assertEqual(lacking, set(OF_ROCM) - {"visible_devices"})

    def test_devices_have_cudas_name_and_rocms_code(self) -> None:
        adapter = self.adapter("2.4.1 rocm")
        for index, place in ((1, self.torch.device("cuda", 1)), (-1, self.torch.device("cuda"))):
            self.assertEqual(adapter.named_device((10, index)), place)
        self.assertEqual(adapter.device((10, 1)), self.torch.device("cuda", 1))
        self.assertEqual(adapter.device(CPU), self.torch.device("cpu"))
        for ask in (adapter.named_device, adapter.device):
            self.assertRaises(dlcert.NotFormable, ask, CUDA)
        self.assertEqual(adapter.current_device(10), 1)
        self.assertRaises(dlcert.NotFormable, adapter.current_device, 2)
        self.assertEqual(adapter.describe(self.torch.Tensor(self.torch.device("cuda", 1))).device, (10, 1))

    def test_tensors_are_claimed_on_the_devices_that_are_there(self) -> None:
        claims = {build: [device for device in (CPU, ROCM, (10, 1), (10, 2), CUDA, (2, 1), (2, 2))
                          if self.adapter(f"2.4.1 {build}").can(on(device))] for build in ("rocm", "cuda", "cpu")}
        self.assertEqual(claims, {"rocm": [CPU, ROCM, (10, 1)], "cuda": [CPU, CUDA, (2, 1)], "cpu": [CPU]})

    def test_telemetry_has_the_units_of_the_documentation(self) -> None:
        adapter = self.adapter("2.4.1 rocm", "amdsmi")
        for quantity, unit in UNITS.items():
            self.torch.calls.clear()
            self.assertEqual(getattr(adapter, quantity)(1).unit, unit, quantity)
            self.assertEqual(self.torch.calls, [(quantity, 1)])

    def test_nothing_is_measured_without_the_bindings_of_the_vendor(self) -> None:
        for build, own, other in (("rocm", "amdsmi", "pynvml"), ("cuda", "pynvml", "amdsmi")):
            self.assertTrue(callable(self.adapter(f"2.4.1 {build}", own).power_draw), build)
            self.assertIsNone(self.adapter(f"2.4.1 {build}", other).power_draw, build)

    def test_the_bindings_can_be_missing_or_broken(self) -> None:
        for release, has, error in (("2.4.1", "_HAS_PYNVML", "_PYNVML_ERR"), ("2.15.0", "_HAS_AMDSMI", "_AMDSMI_ERR")):
            for state, kind in ((dlcert.Bindings.MISSING, type(None)), (dlcert.Bindings.BROKEN, ImportError)):
                adapter = self.adapter(f"{release} rocm")
                adapter.behave_as(dlcert.Build(True, True, True, state, "gfx90a"))
                self.assertIs(getattr(self.torch.cuda, has), False)
                self.assertIs(type(getattr(self.torch.cuda, error)), kind)
            adapter = self.adapter(f"{release} rocm")
            adapter.behave_as(dlcert.Build(True, True, True, dlcert.Bindings.PRESENT, "gfx90a"))
            self.assertIs(getattr(self.torch.cuda, has), True)

    def run_dlcert(self, *words: str) -> str:
        """What dlcert prints of a build for ROCm."""
        (self.folder / "amdsmi.py").touch()
        environment = os.environ | {"PYTHONPATH": str(self.folder), "STAND_IN_TORCH": "2.4.1 rocm without-tensors"}
        ran = subprocess.run([DLCERT, *words, "--adapter", "python:torch", "--python", PYTHON], env=environment,
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout

    def test_dlcert_finds_the_role_the_vendor_and_the_methods(self) -> None:
        rows = dict(line.split(maxsplit=1) for line in self.run_dlcert("smoke").splitlines() if line.startswith("  "))
        self.assertIn("runtime", rows["roles"].split(", "))
        self.assertIn("ROCm alone", rows["properties"].split(", "))
        self.assertLessEqual(set(OF_ROCM), set(rows["devices"].split(", ")))
        self.assertEqual(set(rows["telemetry"].split(", ")), set(UNITS))

    def test_dlcert_judges_the_runtime_on_rocm(self) -> None:
        self.assertRegex(self.run_dlcert("run", "runtime.status-constants"), r"runtime +1 +1 +0")


if __name__ == "__main__":
    DLCERT, PYTHON = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
