# protocol.maxversion.malformed (paddle 3.3.1): a max_version that is no pair of integers is refused
# max_version=(1,): expected a refusal but it was accepted
# Rule: derived: array API draft, array_object.py __dlpack__ max_version; Raises (incorrect arguments)
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import paddle
    from paddle.utils.dlpack import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
t1 = paddle.as_strided(paddle.to_tensor([0, 0, 0, 0], "uint8").view(paddle.float32), (), (), 0)
c1 = t1.__dlpack__(max_version=(1,))
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
