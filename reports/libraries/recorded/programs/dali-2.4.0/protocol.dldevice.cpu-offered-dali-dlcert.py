# dali 2.4.0: error: expected BufferError but found TypeError: __dlpack__(): incompatible function
# arguments. The following argument types are supported: 1. (self: nvidia.dali.tensors.TensorCPU,
# stream: typing.SupportsInt | typing.SupportsIndex | None = None, max_version:
# tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex] | None
# = None, dl_device: tuple[nvidia.dali.b ...
#
# Rule (protocol.dldevice.cpu-offered): an export to the CPU holds the source's values.
# Source: array API draft, array_object.py __dlpack__ dl_device (kDLCPU mandate)
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


tensor1 = TensorCPU(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
judge_kind_of_refusal(lambda: tensor1.__dlpack__(dl_device=(1, 0)), BufferError)
