# SPDX-License-Identifier: Apache-2.0
"""Which devices are visible, as the reference in Python reads it from the environment."""

from __future__ import annotations

import os
import re

import dlcert_reference

PREFIXES = ("GPU-", "MIG-")
PINNED_ROCM = (11, 0)
WHEN_UNSET = 64
_ORDINAL = re.compile(r"([+-]?)([0-9]+)")
_BLANK = " \t\n\v\f\r\x1c\x1d\x1e\x1f"


class Devices:
    """Methods of the adapter."""

    def visible_devices(self) -> list[str]:
        value = os.environ.get(variable())
        if value is None:
            return [str(ordinal) for ordinal in range(WHEN_UNSET)]
        prefix = next((one for one in PREFIXES if value.startswith(one)), "")
        devices: list[str] = []
        for element in value.split(","):
            device = self.identifier(element, prefix) if prefix else self.ordinal(element.strip(_BLANK))
            if device is None:
                break
            if device in devices:
                return []
            devices.append(device)
        return devices

    def uuids_to_ordinals(self, identifiers: tuple[str, ...], uuids: tuple[str, ...]) -> list[int]:
        ordinals: list[int] = []
        for identifier in identifiers:
            meant = [ordinal for ordinal, uuid in enumerate(uuids) if uuid.startswith(identifier)]
            if len(meant) != 1:
                break
            if meant[0] in ordinals:
                return []
            ordinals += meant
        return ordinals

    def identifier(self, element: str, prefix: str) -> str | None:
        """The identifier that an element is; None: the list ends before it."""
        return element if element.startswith(prefix) else None

    def ordinal(self, element: str) -> str | None:
        """The ordinal that an element begins with, likewise."""
        found = _ORDINAL.match(element)
        if found is None:
            return None
        number = int(found[2])
        return None if found[1] == "-" and number > 0 else str(number)


def variable() -> str:
    """The variable of the vendor whose devices there are."""
    try:
        dlcert_reference.ordinal(PINNED_ROCM)
        return "HIP_VISIBLE_DEVICES"
    except (BufferError, ValueError):
        return "CUDA_VISIBLE_DEVICES"
