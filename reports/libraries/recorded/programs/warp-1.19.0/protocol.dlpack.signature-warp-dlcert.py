# warp 1.19.0: x.__dlpack__(max_version=None): expected a capsule but found TypeError:
# array.__dlpack__() got an unexpected keyword argument 'max_version'
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

import numpy, warp
from warp import from_dlpack
warp.init()


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


tensor1 = warp.array(
    numpy.ndarray((1,), "float32", bytearray.fromhex("00000000"), 0, (4,)),
    warp.float32,
    copy=False,
    device="cpu",
)
judge_capsule(lambda: tensor1.__dlpack__(max_version=None))
