# protocol.dldevice.unsupported (tensorflow 2.21.0): a device type that the producer does not have raises BufferError
# error: expected BufferError but found RuntimeError: tf.Tensor does not support DLPack export with a non-None dl_device
# Rule: array API draft, array_object.py __dlpack__ dl_device
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import numpy
    import tensorflow
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
from_dlpack = tensorflow.experimental.dlpack.from_dlpack
t1 = tensorflow.reshape(tensorflow.constant(numpy.frombuffer(bytes.fromhex("00000000"), tensorflow.float32.as_numpy_dtype))[0:1], ())
saw(error_of(lambda: t1.__dlpack__(dl_device=(2, 0))), "RuntimeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
