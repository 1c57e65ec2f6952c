# paddle 3.3.1: device of dlpack_device: expected type and index but found (<DLDeviceType.kDLCPU:
# 1>, None)
#
# Rule (protocol.device.matches-export): an export is on the device that dlpack_device reports.
# Source: array API draft, array_object.py __dlpack_device__; array API draft, array_object.py
# __dlpack__ dl_device
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import paddle
from paddle.utils.dlpack import from_dlpack


def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)


def judge_that(holds, found, expected):
    """Of a value that may be one of several: `expected` says which, in words."""
    print(f"expected: {expected}\nfound:    {found!r}", flush=True)
    verdict(holds)


tensor1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0], "uint8").view(paddle.float32), (), (), 0)
judge_that(
    all(hasattr(number, "__index__") for number in tensor1.__dlpack_device__()),
    tensor1.__dlpack_device__(),
    "two integers",
)
