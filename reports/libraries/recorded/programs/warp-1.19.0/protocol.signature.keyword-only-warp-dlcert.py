# warp 1.19.0: x.__dlpack__(None): expected TypeError but it was accepted
#
# Rule (protocol.signature.keyword-only): __dlpack__ takes its options by keyword alone.
# Source: array API draft, function_and_method_signatures.rst rules 1 and 2
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


tensor1 = warp.array(
    numpy.ndarray((1,), "float32", bytearray.fromhex("00000000"), 0, (4,)),
    warp.float32,
    copy=False,
    device="cpu",
)
judge_refusal(lambda: tensor1.__dlpack__(None))
