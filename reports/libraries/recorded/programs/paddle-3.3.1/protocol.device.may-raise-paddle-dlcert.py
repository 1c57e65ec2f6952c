# paddle 3.3.1: dlpack_device of sparse data: expected BufferError but found TypeError: expected a
# device (type, index) but found (<DLDeviceType.kDLCPU: 1>, None)
#
# Rule (protocol.device.may-raise): sparse data names its device or raises BufferError.
# Source: array API draft, design_topics/data_interchange.rst non-supported use cases
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


tensor1 = paddle.as_strided(
    paddle.to_tensor(
        [0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 64, 192, 0, 0, 0, 0], "uint8"
    ).view(paddle.float32),
    (2, 2),
    (2, 1),
    0,
).to_sparse_coo(2)
judge_kind_of_refusal(lambda: tuple(map(int, tensor1.__dlpack_device__())), BufferError)
