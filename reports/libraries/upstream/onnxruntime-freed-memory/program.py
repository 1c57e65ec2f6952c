"""ONNX Runtime: an array that came from an OrtValue by DLPack loses its memory with the OrtValue.

The value was made of a NumPy array with OrtValue.ortvalue_from_numpy(). The tensor that
OrtValue.__dlpack__() lends does not keep that array alive, so that NumPy frees the elements while
another library still holds them. They have to stay until the deleter of the tensor is called.

Exit code: 1 if ONNX Runtime is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import gc
import sys
import traceback
import weakref


def main():
    import numpy
    import onnxruntime

    print("ONNX Runtime", onnxruntime.__version__, "NumPy", numpy.__version__)
    elements = numpy.full(1 << 10, 7, "float32")
    address = elements.ctypes.data
    freed = []
    weakref.finalize(elements, freed.append, True)
    value = onnxruntime.OrtValue.ortvalue_from_numpy(elements)
    array = numpy.from_dlpack(value)
    shared = array.ctypes.data == address
    del elements, value
    gc.collect()
    if shared and freed:
        print("WRONG: the elements were freed, and an array from the tensor still refers to them")
        return 1
    print("right: the elements are", "there" if shared else "a copy", "and are", array[:4].tolist())
    assert (array == 7).all()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
