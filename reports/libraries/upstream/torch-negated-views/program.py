"""torch.utils.dlpack.to_dlpack() drops the conjugate and the negative bit of a view, and
Tensor.__dlpack__() the negative bit.

A right export of such a view has the values of the view, or is refused with an error.

Exit code: 1 if PyTorch is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import sys
import traceback


def main():
    import torch
    from torch.utils.dlpack import from_dlpack, to_dlpack

    print("PyTorch", torch.__version__)
    x = torch.tensor([1 + 2j])
    views = {"x.conj()": x.conj(), "x.conj().imag": x.conj().imag}
    exports = {"to_dlpack": to_dlpack, "__dlpack__": torch.Tensor.__dlpack__}
    wrong = 0
    for name, view in views.items():
        for how, export in exports.items():
            try:
                capsule = export(view)
            except (BufferError, RuntimeError) as error:
                print(f"right: {how} refuses {name}: {error}")
                continue
            found, expected = from_dlpack(capsule).tolist(), view.tolist()
            print(f"{'right' if found == expected else 'WRONG'}: {how} exports {name},",
                  f"which is {expected}, as {found}")
            wrong += found != expected
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
