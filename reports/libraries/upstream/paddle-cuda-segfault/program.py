"""A CPU build of Paddle: paddle.from_dlpack() of an object on a CUDA device ends by SIGSEGV.

The crash comes before Paddle calls __dlpack__() of the object. An exception would be right.

Exit code: 1 if Paddle is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import signal
import subprocess
import sys
import traceback


class OnCuda:
    """An array of another library in the memory of the first CUDA device."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **keywords):
        print("__dlpack__ was called with", keywords, flush=True)
        raise BufferError("this array cannot be exported")


def take():
    """Imports the object, in a process of its own."""
    import paddle

    print("Paddle", paddle.__version__, flush=True)
    assert not paddle.is_compiled_with_cuda(), "this program needs a CPU build of Paddle"
    from_dlpack, source = paddle.utils.dlpack.from_dlpack, OnCuda()
    try:
        x = from_dlpack(source)
    except Exception as error:
        print(f"right: refused: {error!r}")
        return 0
    print("WRONG: Paddle has made a tensor of nothing:", x)
    return 1


def main():
    code = subprocess.run([sys.executable, __file__, "take"]).returncode
    if code < 0:
        print("WRONG: the process ended by", signal.Signals(-code).name)
        return 1
    return code


if __name__ == "__main__":
    try:
        sys.exit(take() if sys.argv[1:] else main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
