# SPDX-License-Identifier: Apache-2.0
"""A part of gpu_adapter.py, which imports it."""


class Guard:
    def __init__(self, adapter, name):
        self.adapter, self.name = adapter, name

    def __enter__(self):
        self.adapter.journal.append(f"in {self.name}")

    def __exit__(self, kind, value, traceback):
        self.adapter.journal.append(f"out of {self.name}, {value!r}")


def shown(device):
    return f"a guard of {device.name}" if isinstance(device, Guard) else repr(device)
