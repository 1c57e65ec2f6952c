# protocol.export.buffer-error (pyarrow_array 26.0.1): text, lists and data of which some is missing raise BufferError or are copied
# error: expected BufferError but found TypeError (ArrowTypeError): DataType is not compatible with DLPack spec: string, try converting to a Tensor for multi dimensional data support
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import pyarrow
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
from_dlpack = pyarrow.Array.from_dlpack
t1 = pyarrow.array(["one", "two"])
saw(error_of(lambda: t1.__dlpack__()), "ArrowTypeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
