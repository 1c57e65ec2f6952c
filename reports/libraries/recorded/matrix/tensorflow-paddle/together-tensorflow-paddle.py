# tensorflow 2.21.0 and paddle 3.3.1 cannot be loaded together.
#   tensorflow: <tensorflow>/lib/python3.11/site-packages/tensorflow/__init__.py
#   paddle: <paddle>/lib/python3.11/site-packages/paddle/__init__.py
# Found: tensorflow, then paddle: ended by SIGSEGV in dlcert_adapter_named(): I0000 00:00:1795448476.841641   27424 port.cc:153] oneDNN custom operations are on. You may see slightly different numerical results due to floating-point round ... (120 more characters); paddle, then tensorflow: both load
# Exit code: 1 when an order fails, 0 when both load, 2 when one does not load alone.
import signal, subprocess, sys

SECONDS = 120
LIBRARIES = {
    "tensorflow": "import numpy; import tensorflow; from_dlpack = tensorflow.experimental.dlpack.from_dlpack",
    "paddle": "import paddle; from paddle.utils.dlpack import from_dlpack",
}


def end_of(*statements):  # of a process of its own; empty: all were done
    code = "\n".join(["import ctypes, os", *statements, "os._exit(0)"])
    try:
        status = subprocess.run([sys.executable, "-c", code], timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        return f"not loaded within {SECONDS} s"
    return f"ended by {signal.Signals(-status).name}" if status < 0 else \
        f"exit code {status}" if status else ""


for name, load in LIBRARIES.items():
    if how := end_of(load):
        sys.exit(print(f"{name} alone: {how}", flush=True) or 2)
code = 0
for first, second in (list(LIBRARIES), list(LIBRARIES)[::-1]):
    how = end_of(LIBRARIES[first], LIBRARIES[second])
    print(f"{first}, then {second}: {how or 'both load'}", flush=True)
    code = 1 if how else code
sys.exit(code)
