# dali 2.4.0: max_version=b'10': expected a refusal but it was accepted
#
# Rule (protocol.maxversion.malformed): a max_version that is no pair of integers is refused.
# Source: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect
# arguments)
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import numpy
from nvidia.dali.tensors import TensorCPU
from_dlpack = TensorCPU


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


tensor1 = TensorCPU(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
judge_refusal(lambda: tensor1.__dlpack__(max_version=b'10'))
