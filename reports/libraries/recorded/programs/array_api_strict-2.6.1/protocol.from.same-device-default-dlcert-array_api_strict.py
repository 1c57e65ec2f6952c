# array_api_strict 2.6.1: device of the import: expected "array_api_strict.Device('device1')" but
# found "array_api_strict.Device('CPU_DEVICE')"
#
# Rule (protocol.from.same-device-default): an import of the library's own tensor is on the device
# of that tensor.
# Source: array API draft, creation_functions.py from_dlpack device
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import array_api_strict
from array_api_strict import from_dlpack
import numpy


def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)


def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)


def unless_refused(call):
    try:
        return call()
    except NameError:
        raise
    except Exception as error:
        print(f"raised: {error!r}, as it may\nthe library keeps the rule", flush=True)
        os._exit(0)


tensor1 = array_api_strict.asarray(
    numpy.ndarray((2,), "float32", bytearray.fromhex("0000000000000000"), 0, (4,)),
    device=array_api_strict.Device('device1'),
    copy=False,
)
tensor2 = unless_refused(lambda: from_dlpack(tensor1))
judge(str(str(tensor2.device)), "array_api_strict.Device('device1')")
