# pyarrow 26.0.1: error: expected BufferError but found NotImplementedError
# (ArrowNotImplementedError): Legacy DLPack support is not implemented for immutable tensors. Please
# move to the DLPack version >=1.0
#
# Rule (protocol.maxversion.none-legacy): without max_version the export is legacy or refused.
# Source: array API draft, array_object.py __dlpack__ recommended producer logic
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import pyarrow
import numpy
from_dlpack = pyarrow.Tensor.from_dlpack


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


tensor1 = pyarrow.Tensor.from_numpy(numpy.ndarray((), "float32", bytes.fromhex("00000000"), 0, ()))
judge_kind_of_refusal(lambda: tensor1.__dlpack__(), BufferError)
