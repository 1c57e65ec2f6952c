# protocol.export.buffer-error (warp 1.19.0): data that DLPack cannot describe raises BufferError or is copied
# error: expected BufferError but found RuntimeError: Cannot convert structured Warp arrays to DLPack.
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import numpy, warp
    from warp import from_dlpack
    library = numpy, warp
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
warp.init()
# cannot be shown without dlcert: library.create(int32 shape=[2, 2] strides=[2, 1] offset=0 state=2, 128 bytes 0102030405060708090a0b0c0d0e0f10...7172737475767778797a7b7c7d7e7f80)
saw(error_of(lambda: t1.__dlpack__()), "RuntimeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
