# paddle 3.3.1: error: expected BufferError but found NotImplementedError: (Unimplemented) Place
# Place(gpu:0) is not supported. Please check that your paddle compiles with WITH_GPU, WITH_XPU or
# WITH_IPU option or check that your train process set the correct device id if you use Executor.
# (at /paddle/paddle/phi/backends/context_pool.cc:77)
#
# Rule (protocol.dldevice.unsupported): a device type that the producer does not have raises
# BufferError.
# Source: array API draft, array_object.py __dlpack__ dl_device
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


def judge_kind_of_refusal(call, *kinds):
    """The call may succeed. If it is refused, then by an exception of these kinds."""
    expected = " or ".join(kind.__name__ for kind in kinds)
    try:
        call()
    except NameError:
        raise
    except kinds as error:
        print(f"raised: {error!r}")
        judge(expected, expected)
    except Exception as error:
        judge(repr(error), expected)
    judge("no exception", "no exception")


tensor1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0], "uint8").view(paddle.float32), (), (), 0)
judge_kind_of_refusal(lambda: tensor1.__dlpack__(dl_device=(2, 0)), BufferError)
