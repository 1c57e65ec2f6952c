# protocol.export.buffer-error (numpy 1.23.5): data that DLPack cannot describe raises BufferError or is copied
# error: expected BufferError but found TypeError: DLPack only supports native byte swapping.
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import numpy
    from numpy import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
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
t1 = numpy.ndarray((), '>i4', bytearray.fromhex("05040302"), 0, ())
saw(error_of(lambda: t1.__dlpack__()), "TypeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
