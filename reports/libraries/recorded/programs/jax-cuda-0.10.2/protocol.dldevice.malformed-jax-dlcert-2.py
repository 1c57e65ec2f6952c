# jax 0.10.2: dl_device=(): expected a refusal but it was accepted
#
# Rule (protocol.dldevice.malformed): a dl_device that is no pair of integers is refused on CUDA.
# Source: derived: array API draft, array_object.py __dlpack__ dl_device; Raises (incorrect
# arguments)
# Without a GPU: dlcert with-simulated-gpu --devices 2 python THIS_FILE.
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import ctypes
import mmap
import os
import sys


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import ml_dtypes, mmap, numpy
from jax.numpy import from_dlpack
from jax._src import hardware_utils
hardware_utils.has_visible_nvidia_gpu = lambda: True
try:
    ctypes.CDLL("libcuda.so.1")
    platforms = "cuda,cpu"
except OSError:
    platforms = "cpu"
jax.config.update("jax_platforms", platforms)
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
tensor1 = jax.device_put(
    numpy.frombuffer(
        (m := mmap.mmap(-1, 9), m.seek(4), m.write(bytes.fromhex("00000000")))[0], "float32", 1, 4
    ).reshape(()),
    jax.devices("cuda")[0],
).block_until_ready()
judge_refusal(lambda: tensor1.__dlpack__(dl_device=()))
