# protocol.export.buffer-error (warp 1.19.0): an array of structs is refused by an error that is no BufferError
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
import sys

try:
    import warp
except ImportError as error:
    print(error)
    sys.exit(2)

warp.init()


@warp.struct
class Record:
    first: warp.float64
    second: warp.int64


array = warp.zeros(3, dtype=Record, device="cpu")
try:
    array.__dlpack__()
except Exception as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(0 if isinstance(error, BufferError) else 1)
print("exported")
sys.exit(0)
