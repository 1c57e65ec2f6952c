# stream.none-only-without-streams (nanobind 3.1.0): host memory is exported for no object as its stream
# stream=1.5: expected a refusal but it was accepted
# Rule: array API draft, array_object.py __dlpack__ stream
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import nanobind_example
    from nanobind_example import from_dlpack
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
t1 = nanobind_example.array(bytes.fromhex("00000000"), (2, 32, 1), (), (), 0, False)
c1 = t1.__dlpack__(stream=1.5)
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
