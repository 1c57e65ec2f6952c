# onnxruntime 1.32.0: x.__dlpack__(max_version=None): expected a capsule but found TypeError:
# OrtValue.__dlpack__() got an unexpected keyword argument 'max_version'
#
# Rule (protocol.dlpack.signature): __dlpack__ takes max_version, dl_device and copy, each and all,
# None or a value.
# Source: array API draft, array_object.py __dlpack__ signature (lines 317-325)
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


def judge_capsule(call):
    try:
        made = call()
    except NameError:
        raise
    except Exception as error:
        judge(repr(error), "a capsule")
    judge("a capsule" if type(made).__name__ == "PyCapsule" else repr(made), "a capsule")


tensor1 = OrtValue.ortvalue_from_numpy(
    numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(())
)
judge_capsule(lambda: tensor1.__dlpack__(max_version=None))
