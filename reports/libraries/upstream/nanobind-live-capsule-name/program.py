"""mlx.core.from_dlpack() takes a DLPack capsule over and does not rename it.

The capsule keeps the name "dltensor", by which its producer, or a second consumer, believes that
nobody has taken its tensor. A right consumer renames it to "used_dltensor".

Exit code: 1 if MLX is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import ctypes
import sys
import traceback

get_name = ctypes.pythonapi.PyCapsule_GetName
get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]


class Source:
    """An array that keeps the capsule that it gave."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.capsule = self.array.__dlpack__(**keywords)
        return self.capsule


def main():
    import mlx.core
    import numpy

    print("MLX", mlx.core.__version__, "NumPy", numpy.__version__)
    source = Source(numpy.array([1, 2], "float32"))
    taken = mlx.core.from_dlpack(source)
    assert taken.tolist() == [1, 2]
    name = get_name(source.capsule).decode()
    right = name.startswith("used_")
    print("right:" if right else "WRONG:", f"the capsule that MLX took is named {name!r}")
    return 0 if right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
