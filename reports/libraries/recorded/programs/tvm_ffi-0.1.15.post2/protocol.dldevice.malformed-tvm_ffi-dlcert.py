# tvm_ffi 0.1.15.post2: export with dl_device=(4294967297, 0): expected a refusal but found success
#
# Rule (protocol.dldevice.malformed): a device type of more than 32 bits is refused.
# Source: derived: array API draft, array_object.py __dlpack__ dl_device; Raises (incorrect
# arguments)
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import tvm_ffi
import numpy
from tvm_ffi import from_dlpack


def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)


def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)


def judge_refusal(call, *kinds):
    expected = " or ".join(kind.__name__ for kind in kinds) or "an exception"
    try:
        call()
    except NameError:
        raise
    except kinds or Exception as error:
        print(f"raised: {error!r}")
        judge(expected, expected)
    except Exception as error:
        judge(repr(error), expected)
    judge("no exception", expected)


tensor1 = tvm_ffi.from_dlpack(numpy.ndarray((), "float32", bytearray.fromhex("00000000"), 0, ()))
judge_refusal(lambda: tensor1.__dlpack__(dl_device=(4294967297, 0)))
