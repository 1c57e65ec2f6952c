# paddle 3.3.1: '{}:{}'.format(*map(__import__('operator').index, x.__dlpack_device__())): expected
# success but found TypeError: 'NoneType' object cannot be interpreted as an integer
#
# Rule (protocol.device.signature): __dlpack_device__ gives a tuple of device type and index.
# Source: array API draft, array_object.py __dlpack_device__
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


def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)


def judge_success(call):
    try:
        call()
    except NameError:
        raise
    except Exception as error:
        judge(repr(error), "no exception")
    judge("no exception", "no exception")


tensor1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0], "uint8").view(paddle.float32), (), (), 0)
judge_success(
    lambda: str('{}:{}'.format(*map(__import__('operator').index, tensor1.__dlpack_device__())))
)
