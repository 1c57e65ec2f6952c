"""pyarrow.Tensor.__dlpack__() divides strides in bytes by the size of an element and cuts the
remainder off, so that the consumer reads other bytes.

A right export has the values of the tensor, or is refused with an error.

Exit code: 1 if pyarrow is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import sys
import traceback


def main():
    import numpy
    import pyarrow

    print("pyarrow", pyarrow.__version__, "NumPy", numpy.__version__)
    records = numpy.zeros(3, dtype=[("flag", "u1"), ("value", "f4")])
    records["value"] = [1, 2, 3]
    tensor = pyarrow.Tensor.from_numpy(records["value"])
    expected = tensor.to_numpy().tolist()
    print("the tensor has the strides", tensor.strides, "in bytes and the values", expected)
    wrong = 0
    for copy in (None, True):
        try:
            found = numpy.from_dlpack(tensor, copy=copy).tolist()
        except (BufferError, pyarrow.ArrowException) as error:
            print(f"right: copy={copy} is refused: {error!r}")
            continue
        print("right:" if found == expected else "WRONG:", f"copy={copy} gives {found}")
        wrong += found != expected
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
