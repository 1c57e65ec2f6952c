# lifetime.deleter.after-finalize (cupy 14.2.0): a deleter that is called when the interpreter has ended crashes
# Rule: DLPack's Python page: the interpreter may be gone when a deleter is called; then the owner is leaked
# Run: dlcert with-simulated-gpu python THIS, or with a GPU
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, subprocess, sys
try:
    import cupy, numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
if len(sys.argv) == 1:
    control, code = (subprocess.run([sys.executable, __file__, what], check=False).returncode for what in ("keep", "delete"))
    print(f"a process that calls the deleter behind its interpreter's end: {code}, expected {control}, as without that call", flush=True)
    sys.exit(int(code != control))

api = ctypes.PyDLL(None)
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule, used = cupy.asarray(numpy.zeros(1, "float32")).__dlpack__(), b"used_dltensor"
tensor = api.PyCapsule_GetPointer(capsule, b"dltensor")
api.PyCapsule_SetName(capsule, used)
del capsule
deleter = ctypes.c_void_p.from_address(tensor + 56)  # behind the DLTensor and the owner's pointer
if sys.argv[1] == "delete":
    ctypes.CDLL(None)["__cxa_atexit"](deleter, ctypes.c_void_p(tensor), None)  # called by exit(), which follows the interpreter's end
