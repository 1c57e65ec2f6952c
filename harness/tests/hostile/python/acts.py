# SPDX-License-Identifier: Apache-2.0
"""What variants are made of."""

from __future__ import annotations

from typing import Any, Callable

import dlcert
import plain_arrays

Variant = Callable[[type], None]
FLOAT32 = (2, 32, 1)
LONG = 3  # elements of a vector that provokes


def provokes(value: Any) -> bool:
    """Whether it is a float32 vector of three elements or more, or a wish for one."""
    if isinstance(value, dlcert.Spec):
        return value.dtype == FLOAT32 and len(value.shape) == 1 and value.shape[0] >= LONG
    return isinstance(value, plain_arrays.Array) and value.code == FLOAT32 \
        and value.shape[0] >= LONG


# What has a check of its own is a provocation always.
_ASKED_OF_ALL = ("can", "create", "describe")


def before(owner: Any, name: str, act: Callable[[], Any]) -> None:
    """Has the function of that name do `act` before it is itself, where it is provoked."""
    usual = getattr(owner, name)

    def function(*arguments: Any, **keywords: Any) -> Any:
        if name not in _ASKED_OF_ALL or any(map(provokes, arguments)):
            act()
        return usual(*arguments, **keywords)

    setattr(owner, name, function)


def instead(owner: Any, name: str, give: Callable[..., Any]) -> None:
    """Has the function of that name give what `give` makes of its arguments, where provoked."""
    usual = getattr(owner, name)

    def function(*arguments: Any, **keywords: Any) -> Any:
        if name not in _ASKED_OF_ALL or any(map(provokes, arguments)):
            return give(*arguments, **keywords)
        return usual(*arguments, **keywords)

    setattr(owner, name, function)


def in_create(act: Callable[[], Any]) -> Variant:
    """The variant that does so when a vector is made that provokes."""
    return lambda adapter: before(adapter, "create", act)


def at_import(act: Callable[[], Any]) -> Variant:
    """The variant that does so when its file is loaded."""
    return lambda adapter: act()


def raises(error: BaseException | type[BaseException]) -> Callable[..., None]:
    """What raises that."""

    def act(*_: Any) -> None:
        raise error

    return act
