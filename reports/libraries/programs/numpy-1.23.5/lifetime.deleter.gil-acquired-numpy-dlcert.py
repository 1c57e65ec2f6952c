# lifetime.deleter.gil-acquired (numpy 1.23.5): on a thread without the interpreter's lock a deleter takes it before it touches the interpreter's objects
# references to the array when a deleter was called while another thread holds the interpreter's lock: expected 6 as before but found 5
# Rule: DLPack docs/source/python_spec.rst @7f393bb lines 129-131
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, gc, os, signal, sys
try:
    import numpy
    from numpy import from_dlpack
    library = numpy
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):
    print(found, flush=True)
    if found != then: print(f"  when the fault was found: {then}"); print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8), ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]
class Legacy(ctypes.Structure): name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]
class Versioned(ctypes.Structure): name = b"dltensor_versioned"; _fields_ = [("major", u32), ("minor", u32), ("context", ptr), ("deleter", ptr), ("flags", u64)] + TENSOR
api = ctypes.pythonapi; api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
def inside(holder): kind = Versioned if api.PyCapsule_IsValid(id(holder), Versioned.name) else Legacy; api.PyCapsule_GetPointer.restype = ptr; return kind.from_address(api.PyCapsule_GetPointer(id(holder), kind.name))
def name_of(holder): api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = [ptr], ctypes.c_char_p; return api.PyCapsule_GetName(id(holder))
def rename(holder, name, kept=[]): kept.append(name); api.PyCapsule_SetName.argtypes = [ptr, ctypes.c_char_p]; api.PyCapsule_SetName(id(holder), name)
def text(m):
    shape, strides = ("NULL" if not p else str(p[:m.ndim]) if 0 <= m.ndim <= 64 else "unread" for p in (m.shape, m.strides)); head = "legacy"
    if isinstance(m, Versioned): head = f"versioned {m.major}.{m.minor} flags {m.flags}"
    return (f"{head} deleter {'set' if m.deleter else 'NULL'} dtype ({m.code}, {m.bits}, {m.lanes})" f" device ({m.device_type}, {m.device_id}) ndim {m.ndim} shape {shape}" f" strides {strides} offset {m.byte_offset} data {'set' if m.data else 'NULL'}")
def delete(m): return m.deleter and ctypes.CFUNCTYPE(None, ptr)(m.deleter)(ctypes.addressof(m))
held = []
def capsule(m): api.PyCapsule_New.restype = ctypes.py_object; api.PyCapsule_New.argtypes = [ptr, ctypes.c_char_p, ptr]; nothing = ctypes.cast(api.Py_IsInitialized, ptr); held.append((api.PyCapsule_New(ctypes.addressof(m), m.name, nothing), m)); return held[-1][0]
def calls(m):
    gc.collect(); api.PyCapsule_GetDestructor.argtypes, api.PyCapsule_GetDestructor.restype = [ptr], ptr
    for pair in [pair for pair in held if sys.getrefcount(pair[0]) == 2]:
        held.remove(pair); address, lent = id(pair[0]), pair[1]
        if api.PyCapsule_GetDestructor(address) and api.PyCapsule_IsValid(address, lent.name): delete(lent)
    return len(m.calls)
t1 = numpy.frombuffer(bytes.fromhex("00000000"), "float32").reshape(()).copy()
saw(str(__import__('sys').getrefcount(t1)), "5")
c2 = t1.__dlpack__()
saw(name_of(c2), b"dltensor")
m1 = inside(c2); saw(text(m1), "legacy deleter set dtype (2, 32, 1) device (1, 0) ndim 0 shape [] strides NULL offset 0 data set")
saw(name_of(c2), b"dltensor")
rename(c2, b"used_dltensor")
del c2
saw(str(__import__('sys').getrefcount(t1)), "6")
# cannot be shown without dlcert: a thread without the interpreter's lock calls the deleter
saw(str(__import__('sys').getswitchinterval()), "0.005")
saw(str(__import__('sys').setswitchinterval(1000)), "None")
# cannot be shown without dlcert: library: what follows, until the next line like this, has the interpreter's lock
delete(m1)
saw(str(__import__('sys').setswitchinterval(0.005)), "None")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
