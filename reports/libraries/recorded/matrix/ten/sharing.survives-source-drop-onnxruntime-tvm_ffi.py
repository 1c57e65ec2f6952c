# sharing.survives-source-drop (onnxruntime 1.32.0 to tvm_ffi 0.1.15.post2): what arrived in the other library stays as it was when its source is gone
# elements: expected 24 bytes 000000000000000000000000000000000000000000000000 but found 24 bytes 909abb18a07f000080b31d12a07f00000220010000000000
# Rule: derived: DLPack docs/source/python_spec.rst @7f393bb lines 35-38
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import ctypes, numpy, onnxruntime
    from onnxruntime import OrtValue
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
def differs(found, wanted):  # the fault is any answer but `wanted`
    print(found, flush=True)
    if found == wanted:
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
from_dlpack = OrtValue.from_dlpack
t1 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("000000000000000000000000000000000000000000000000"), "float32").reshape((2, 3)))
import tvm_ffi
import numpy
from tvm_ffi import from_dlpack
t2 = from_dlpack(t1)
del t1
t3 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t3
t4 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t4
t5 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t5
t6 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t6
saw((str(t2.dtype), tuple(t2.shape)), ('float32', (2, 3)))
differs(numpy.from_dlpack(t2).tobytes().hex(), "000000000000000000000000000000000000000000000000")
del t2
print("the library answers as when the fault was found", flush=True)
os._exit(1)
