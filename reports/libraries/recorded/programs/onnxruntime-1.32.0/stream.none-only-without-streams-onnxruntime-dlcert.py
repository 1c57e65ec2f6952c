# onnxruntime 1.32.0: stream 0 on host memory: expected a refusal but it was accepted
#
# Rule (stream.none-only-without-streams): host memory is exported with None and with no other
# stream.
# Source: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import ctypes, numpy, onnxruntime
from onnxruntime import OrtValue
from_dlpack = OrtValue.from_dlpack


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


tensor1 = OrtValue.ortvalue_from_numpy(
    numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(())
)
capsule2 = tensor1.__dlpack__(stream=None)
judge_refusal(lambda: tensor1.__dlpack__(stream=0))
