# jax 0.10.2: device of the import: expected "cpu:1" but found "cpu:0"
#
# Rule (protocol.from.same-device-default): an import of the library's own tensor is on the device
# of that tensor.
# Source: array API draft, creation_functions.py from_dlpack device
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


def unless_refused(call):
    try:
        return call()
    except NameError:
        raise
    except Exception as error:
        print(f"raised: {error!r}, as it may\nthe library keeps the rule", flush=True)
        os._exit(0)


tensor1 = jax.device_put(
    numpy.frombuffer(
        (m := mmap.mmap(-1, 9), m.seek(0), m.write(bytes.fromhex("0000000000000000")))[0],
        "float32",
        2,
        0,
    ).reshape((2,)),
    jax.devices("cpu")[1],
).block_until_ready()
tensor2 = unless_refused(lambda: from_dlpack(tensor1))
judge(str(str(tensor2.device)), "cpu:1")
