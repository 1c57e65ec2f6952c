# sharing.survives-source-drop (onnxruntime 1.32.0 to reference in Python 0.1.0): what arrived in the other library stays as it was when its source is gone
# elements: expected 24 bytes 000000000000000000000000000000000000000000000000 but found 24 bytes 909abb18a07f000040ba1c12a07f00000200000000000000
# Rule: derived: DLPack docs/source/python_spec.rst @7f393bb lines 35-38
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, itertools, math, os, signal, sys
try:
    import ctypes, numpy, onnxruntime
    from onnxruntime import OrtValue
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
def saw(found, then):
    print(found, flush=True)
    if found != then: print(f"  when the fault was found: {then}"); print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
def differs(found, wanted):
    print(found, flush=True)
    if found == wanted: print("the library answers otherwise than when the fault was found", flush=True); os._exit(0)
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64); TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8), ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)), ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]
class Legacy(ctypes.Structure): name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]
class Versioned(ctypes.Structure): name = b"dltensor_versioned"; _fields_ = [("major", u32), ("minor", u32), ("context", ptr), ("deleter", ptr), ("flags", u64)] + TENSOR
api = ctypes.PyDLL(None); api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]
def inside(holder): kind = Versioned if api.PyCapsule_IsValid(id(holder), Versioned.name) else Legacy; api.PyCapsule_GetPointer.restype = ptr; return kind.from_address(api.PyCapsule_GetPointer(id(holder), kind.name))
def elements(m):
    out, size, shape = b"", (m.bits * m.lanes + 7) // 8, m.shape[:m.ndim] if m.ndim else []; strides = [math.prod(shape[i + 1:]) for i in range(m.ndim)]
    if m.strides and m.ndim: strides = m.strides[:m.ndim]
    for index in itertools.product(*map(range, shape)): place = sum(i * stride for i, stride in zip(index, strides)); out += ctypes.string_at(m.data + m.byte_offset + size * place, size)
    return out.hex()
def logical(tensor): holder = tensor.__dlpack__(); return elements(inside(holder))
from_dlpack = OrtValue.from_dlpack
t1 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("000000000000000000000000000000000000000000000000"), "float32").reshape((2, 3)))
import dlcert_reference
from dlcert_reference import from_dlpack
t2 = from_dlpack(t1)
del t1
t3 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t3
t4 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t4
t5 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t5
t6 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("010000000100000001000000010000000100000001000000"), "float32").reshape((2, 3)))
del t6
saw((str(t2.dtype), tuple(t2.shape)), ('(2, 32, 1)', (2, 3)))
differs(logical(t2), "000000000000000000000000000000000000000000000000")
del t2
print("the library answers as when the fault was found", flush=True)
os._exit(1)
