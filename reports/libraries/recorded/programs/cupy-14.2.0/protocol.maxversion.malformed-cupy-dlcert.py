# cupy 14.2.0: max_version=(1,): expected a refusal but it was accepted
#
# Rule (protocol.maxversion.malformed): a max_version that is no pair of integers is refused on
# CUDA.
# Source: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect
# arguments)
# Without a GPU: dlcert with-simulated-gpu --devices 2 python THIS_FILE.
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import cupy, numpy
from cupy import from_dlpack
managed = lambda x: (
    y := cupy.ndarray(x.shape, "u1", cupy.cuda.malloc_managed(x.nbytes)),
    y.data.copy_from_device(x.data, x.nbytes),
)[0]


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


def loaded_cudart():
    """The CUDA runtime that the library has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if "libcudart" in line:
                return ctypes.CDLL(line.split()[-1])
    return ctypes.CDLL("libcudart.so.13")


cudart = loaded_cudart()


def done(status):
    if status != 0:
        raise RuntimeError(f"the GPU runtime returned error {status}")


def set_device(device):
    done(cudart.cudaSetDevice(device))


set_device(0)
tensor1 = cupy.ndarray(
    (), "float32", cupy.asarray(numpy.frombuffer(bytes.fromhex("00000000"), "u1")).data + 0, ()
)
judge_refusal(lambda: tensor1.__dlpack__(max_version=(1,)))
