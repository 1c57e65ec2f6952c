# stream.none-only-without-streams (kornia_rs 0.2.0): host memory is exported for no object as its stream
# stream=1.5: expected a refusal but it was accepted
# Rule: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import kornia_rs
    import numpy
    from kornia_rs.image import Image
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
from_dlpack = Image.from_dlpack
t1 = Image.from_numpy(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape((1, 1, 1)))
c1 = t1.__dlpack__(stream=1.5)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
