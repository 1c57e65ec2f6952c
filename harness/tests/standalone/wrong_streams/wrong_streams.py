# SPDX-License-Identifier: Apache-2.0
"""dlcert's reference in Python as another library, with the fault of streams that plant() names."""

from __future__ import annotations

from typing import Any

import dlcert_reference
from dlcert_reference import *  # noqa: F403

__version__ = "1.0"
VARIABLE = "WRONG_STREAMS_FAULT"
CPU = (1, 0)
planted = "none"


def plant(fault: str) -> None:
    global planted
    planted = fault


def _exported_for(number: Any, is_omitted: bool) -> Any:
    """What the library makes of the stream that a consumer names."""
    is_number = isinstance(number, int)
    replaced = {
        "every-stream-ignored": is_number or number is None,
        "none-ignored": number is None and not is_omitted,
        "omitted-ignored": is_omitted,
        "default-streams-ignored": is_number and number in (0, 1, 2),
        "handles-ignored": is_number and number > 2,
        "negative-taken": is_number and number < -1,
        "text-taken": isinstance(number, (str, bytes, float)),
    }
    if replaced.get(planted, False):
        return -1
    return 1 if planted == "zero-taken" and number == 0 else number


class Array(dlcert_reference.Array):
    def __dlpack__(self, **asked: Any) -> Any:
        if self.__dlpack_device__() == CPU:
            return super().__dlpack__(**asked)
        asked["stream"] = _exported_for(asked.get("stream"), "stream" not in asked)
        return super().__dlpack__(**asked)


class Asked:
    """Stands between a producer and the import, and names another stream."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __dlpack_device__(self) -> Any:
        return self.source.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = None, **others: Any) -> Any:
        return self.source.__dlpack__(stream=_named(stream), **others)


def _named(number: Any) -> Any:
    is_default = number in (0, 1)
    if planted == "minus-two-named":
        return -2
    if planted == "minus-one-named":
        return -1
    if planted == "another-default-named" and is_default:
        return 1 - number
    return None if planted == "default-left-out" and is_default else number


def from_dlpack(x: Any, /, **options: Any) -> Any:
    if not planted.endswith(("-named", "-left-out")) or x.__dlpack_device__()[0] == CPU[0]:
        return dlcert_reference.from_dlpack(x, **options)
    return dlcert_reference.from_dlpack(Asked(x), **options)
