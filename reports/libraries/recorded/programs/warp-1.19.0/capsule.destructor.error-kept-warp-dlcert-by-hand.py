# capsule.destructor.error-kept (warp 1.19.0): a capsule that dies while an error is in flight leaves that so
# Rule: CPython C API reference, PyTypeObject.tp_dealloc
# Exit code: 1 when the library shows the fault, 0 when it does not.
import os
import sys

import warp

warp.init()
x = warp.zeros(3, device="cpu")
child = os.fork()
if child == 0:
    try:
        print(x.__dlpack__(), 1 / 0)
    except ZeroDivisionError:
        os._exit(0)
    os._exit(1)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(f"ended by signal {-code}" if code < 0 else f"exit code {code}")
sys.exit(code != 0)
