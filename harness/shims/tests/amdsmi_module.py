#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package amdsmi over the stand-in for AMD SMI: all that the functions of torch.cuda ask of it.

The package opens libamd_smi.so by its name, so that LD_LIBRARY_PATH says which one. It reads the structures of the
release that it was made for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

SETTINGS = [
    "devices=3",
    "device.0.uuid=8932f937-d72c-4106-c12f-20bd9faed9f6",
    "device.0.serial=8932f937d72c4106",
    "device.0.name=first",
    "device.0.utilization.gpu=55",
    "device.0.utilization.memory=37",
    "device.0.temperature=64",
    "device.0.power=312",
    "device.0.power.average=287",
    "device.0.clock.graphics=1500",
    "device.0.clock.memory=900",
    "device.0.memory.total=68719476736",
    "device.0.memory.used=3221225472",
    "device.1.power=65535",
    "device.1.power.average=61",
    "device.1.utilization.gpu=65535",
]


def expect(wanted: object, found: object, what: str) -> None:
    if wanted != found:
        sys.exit(f"{what}: expected {wanted} but found {found}")


def main() -> None:
    os.environ["DLCERT_MANAGEMENT"] = ";".join(SETTINGS)
    os.environ.pop("DLCERT_MANAGEMENT_FILE", None)
    import amdsmi

    def refused(function: Callable[..., object], *arguments: object) -> int:
        try:
            function(*arguments)
        except amdsmi.AmdSmiLibraryException as error:
            return error.get_error_code()
        return 0

    expect(32, refused(amdsmi.amdsmi_get_socket_handles), "before it is initialised")
    amdsmi.amdsmi_init()
    devices = amdsmi.amdsmi_get_processor_handles()
    expect(3, len(devices), "devices")
    first, second, third = devices
    # The package is made for 26.0; the structures of a release are those of all with its number.
    expect(26, amdsmi.amdsmi_get_lib_version()["major"], "release")

    expect("8932f937-d72c-4106-c12f-20bd9faed9f6", amdsmi.amdsmi_get_gpu_device_uuid(first), "uuid")
    expect("00000002-0000-0000-0000-000000000002", amdsmi.amdsmi_get_gpu_device_uuid(third), "uuid by default")
    asic = amdsmi.amdsmi_get_gpu_asic_info(first)
    expect(
        ("0x8932F937D72C4106", "first", "0x1002", "Advanced Micro Devices Inc. [AMD/ATI]"),
        tuple(asic[key] for key in ("asic_serial", "market_name", "vendor_id", "vendor_name")),
        "asic info",
    )
    numbers = [amdsmi.amdsmi_get_gpu_enumeration_info(device) for device in devices]
    expect([0, 1, 2], [found["hip_id"] for found in numbers], "hip_id")
    expect("GPU-8932F937D72C4106", numbers[0]["hip_uuid"], "hip_uuid")

    expect({"vram_total": 65536, "vram_used": 3072}, amdsmi.amdsmi_get_gpu_vram_usage(first), "vram usage")
    expect({"gfx_activity": 55, "umc_activity": 37, "mm_activity": 0}, amdsmi.amdsmi_get_gpu_activity(first), "activity")
    expect("N/A", amdsmi.amdsmi_get_gpu_activity(second)["gfx_activity"], "activity that is not reported")
    sensor, now = amdsmi.AmdSmiTemperatureType.JUNCTION, amdsmi.AmdSmiTemperatureMetric.CURRENT
    expect(64, amdsmi.amdsmi_get_temp_metric(first, sensor, now), "temperature")
    power = amdsmi.amdsmi_get_power_info(first)
    expect(
        (312, 312, 287),
        tuple(power[f"{which}socket_power"] for which in ("", "current_", "average_")),
        "power",
    )
    # 26.2 writes UINT32_MAX for what is not reported; this package looks for 65535.
    power = amdsmi.amdsmi_get_power_info(second)
    expect(
        (61, 2**32 - 1, 61),
        tuple(power[f"{which}socket_power"] for which in ("", "current_", "average_")),
        "power that is not reported",
    )
    expect(1500, amdsmi.amdsmi_get_clock_info(first, amdsmi.AmdSmiClkType.GFX)["clk"], "graphics clock")
    expect(900, amdsmi.amdsmi_get_clock_info(first, amdsmi.AmdSmiClkType.MEM)["clk"], "memory clock")
    amdsmi.amdsmi_shut_down()


if __name__ == "__main__":
    main()
