# jax 0.10.2: stream=b'1': expected a refusal but it was accepted
#
# Rule (stream.none-only-without-streams): host memory is exported for no object as its stream.
# Source: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import mmap
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)


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


tensor1 = jax.device_put(
    numpy.frombuffer(
        (m := mmap.mmap(-1, 5), m.seek(0), m.write(bytes.fromhex("00000000")))[0], "float32", 1, 0
    ).reshape((1,)),
    jax.devices("cpu")[0],
).block_until_ready()
judge_refusal(lambda: tensor1.__dlpack__(stream=b'1'))
