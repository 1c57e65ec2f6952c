# paddle 3.3.1: x.__dlpack__(dl_device=x.__dlpack_device__()): expected a capsule but found
# TypeError: _to_dlpack(): incompatible function arguments. The following argument types are
# supported: 1. (self: paddle.base.libpaddle.DenseTensor, dl_device: Optional[tuple[int, int]] =
# None, copy: Optional[bool] = None) -> capsule Invoked with: <paddle.base.libpaddle.DenseTensor
# object at 0x(address)>; kwargs: dl_ ...
#
# Rule (protocol.dlpack.signature): __dlpack__ takes max_version, dl_device and copy, each and all,
# None or a value.
# Source: array API draft, array_object.py __dlpack__ signature (lines 317-325)
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


def judge_capsule(call):
    try:
        made = call()
    except NameError:
        raise
    except Exception as error:
        judge(repr(error), "a capsule")
    judge("a capsule" if type(made).__name__ == "PyCapsule" else repr(made), "a capsule")


tensor1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0], "uint8").view(paddle.float32), (), (), 0)
judge_capsule(lambda: tensor1.__dlpack__(dl_device=tensor1.__dlpack_device__()))
