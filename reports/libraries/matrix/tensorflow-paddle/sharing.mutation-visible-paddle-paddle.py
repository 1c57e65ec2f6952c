# sharing.mutation-visible (paddle 3.3.1 to paddle 3.3.1): what one library writes to shared memory is seen by the other
# the producer's elements after a write by the consumer: expected 24 bytes 000000000000000000000000000000000000000000000000 but found 24 bytes 010000000100000001000000010000000100000001000000
# Rule: derived: DLPack docs/source/python_spec.rst @7f393bb lines 29-33 (a view); torch/utils/dlpack.py (2.4) from_dlpack docstring; torch dlpack docs example
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, sys
try:
    import paddle
    from paddle.utils.dlpack import from_dlpack
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
t1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "uint8").view(paddle.float32), (2, 3), (1, 2), 0)
import paddle
from paddle.utils.dlpack import from_dlpack
t2 = from_dlpack(t1)
# cannot be shown without dlcert: producer.write(t1, 24 bytes 010000000100000001000000010000000100000001000000)
saw(ctypes.string_at(t2.contiguous().data_ptr(), t2.size * t2.element_size()).hex(), "010000000100000001000000010000000100000001000000")
# cannot be shown without dlcert: consumer.write(t2, 24 bytes 000000000000000000000000000000000000000000000000)
differs(ctypes.string_at(t1.contiguous().data_ptr(), t1.size * t1.element_size()).hex(), "000000000000000000000000000000000000000000000000")
del t2
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
