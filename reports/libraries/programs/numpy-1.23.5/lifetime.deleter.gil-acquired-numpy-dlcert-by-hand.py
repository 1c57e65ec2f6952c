# lifetime.deleter.gil-acquired (numpy 1.23.5), by hand: ctypes gives the interpreter's lock back while it calls the deleter, and with
# PYTHONMALLOC=debug the interpreter ends itself when its allocator is used without the lock.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, os, signal, subprocess, sys
try:
    import numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
if sys.argv[1:] != ["child"]:
    child = subprocess.run([sys.executable, __file__, "child"], env={**os.environ, "PYTHONMALLOC": "debug"}, capture_output=True, text=True)
    print(child.returncode, *child.stderr.splitlines()[:1], flush=True)
    sys.exit(child.returncode == -signal.SIGABRT and "without holding the GIL" in child.stderr)
pointer = ctypes.c_void_p
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule, used = numpy.zeros(1).__dlpack__(), b"used_dltensor"
managed = api.PyCapsule_GetPointer(capsule, b"dltensor")
api.PyCapsule_SetName(capsule, used)
deleter = pointer.from_address(managed + 56).value  # DLManagedTensor: dl_tensor (48 bytes), manager_ctx, deleter
ctypes.CFUNCTYPE(None, pointer)(deleter)(managed)
