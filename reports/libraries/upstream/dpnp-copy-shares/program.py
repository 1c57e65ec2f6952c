"""dpnp: __dlpack__(copy=True) without max_version gives the memory of the array, not a copy of it.

Exit code: 1 if dpnp is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import sys
import traceback


class Exported:
    """The DLPack capsule of an array, and the device that it is on."""

    def __init__(self, array, **keywords):
        self.device = array.__dlpack_device__()
        self.capsule = array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        return self.capsule


def main():
    import dpnp

    print("dpnp", dpnp.__version__, "on", dpnp.empty(1).device)
    wrong = 0
    for keywords in ({"copy": True}, {"copy": True, "max_version": (1, 0)}):
        x = dpnp.zeros(3)
        try:
            exported = Exported(x, **keywords)
        except BufferError as error:
            print(f"right: {keywords} is refused: {error!r}")
            continue
        y = dpnp.from_dlpack(exported)
        x[0] = 1
        shared = y[0] == 1
        print("WRONG:" if shared else "right:", keywords, "gives", y.tolist(),
              "after a write to the array; a copy has only zeros")
        wrong += bool(shared)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
