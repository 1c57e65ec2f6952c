# protocol.export.buffer-error (tensorflow 2.21.0): text, lists and data of which some is missing raise BufferError or are copied
# ended by SIGABRT in case 1
# Rule: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, subprocess, sys
try:
    import numpy
    import tensorflow
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(101 if issubclass(error[0], NameError) else 100)
sys.excepthook = unhandled
if sys.argv[1:] != ["--child"]:  # what follows ends the process, or hangs
    code = subprocess.run([sys.executable, __file__, "--child"]).returncode
    print("the library did not end the process" if code == 100 else f"ended by {signal.Signals(-code).name}"
          if code < 0 else f"ended early with exit status {code}", flush=True)
    sys.exit(2 if code == 101 else code != 100)
from_dlpack = tensorflow.experimental.dlpack.from_dlpack
t1 = tensorflow.constant(["one", "two"])
c1 = t1.__dlpack__()
os._exit(100)
