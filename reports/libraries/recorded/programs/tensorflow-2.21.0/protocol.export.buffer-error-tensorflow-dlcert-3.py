# tensorflow 2.21.0: ended by SIGABRT in case 1
#
# Rule (protocol.export.buffer-error): text, lists and data of which some is missing raise
# BufferError or are copied.
# Source: array API draft, array_object.py __dlpack__ Raises
# Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
import os
import signal
import subprocess
import sys

if sys.argv[1:] != ["--child"]:  # the library may end the process that calls it
    command = [sys.executable, __file__, "--child"]
    try:
        code = subprocess.run(command, timeout=40).returncode
    except subprocess.TimeoutExpired:
        print("the library did not return within 40 s")
        print("the library breaks the rule")
        sys.exit(1)
    if code == 100:
        print("the library keeps the rule")
        sys.exit(0)
    if code == 2:
        sys.exit(2)
    if code < 0:
        print("ended by", signal.Signals(-code).name)
    else:
        print(f"ended early with exit status {code}")
    print("the library breaks the rule")
    sys.exit(1)


def unexpected(*error):
    sys.__excepthook__(*error)
    os._exit(2)


sys.excepthook = unexpected

import numpy
import tensorflow
from_dlpack = tensorflow.experimental.dlpack.from_dlpack


try:
    tensor1 = tensorflow.constant(["one", "two"])
    capsule1 = tensor1.__dlpack__()
except (AttributeError, NameError):
    raise
except Exception as error:
    print(f"raised: {error!r}", flush=True)
os._exit(100)
