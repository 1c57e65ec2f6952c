# protocol.dlpack.signature (paddle 3.3.1): __dlpack__ takes max_version, dl_device and copy, each and all, None or a value
# x.__dlpack__(dl_device=x.__dlpack_device__()): expected a capsule but found TypeError: _to_dlpack(): incompatible function arguments. The following argument types are supported:     1. (self: paddle.base.libpaddle.DenseTensor, dl_device: Optional[tuple[int, int]] = None, copy: Optional[bool] = None) -> capsule  Invoked with: <paddle.base.libpaddle.DenseTensor object at 0x(address)>; kwargs: dl_ ...
# Rule: array API draft, array_object.py __dlpack__ signature (lines 317-325)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
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
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
t1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0], "uint8").view(paddle.float32), (), (), 0)
saw(error_of(lambda: t1.__dlpack__(dl_device=t1.__dlpack_device__())), "TypeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
