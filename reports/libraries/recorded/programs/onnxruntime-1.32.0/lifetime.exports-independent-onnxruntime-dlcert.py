# lifetime.exports-independent (onnxruntime 1.32.0): releasing one export leaves the others and the source usable
# elements: expected 4 bytes 00000000 but found 4 bytes a066b870
# Rule: derived: dlpack.h v1.3 DLManagedTensor
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, itertools, math, os, signal, sys
try:
    import ctypes, numpy, onnxruntime
    from onnxruntime import OrtValue
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
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
def name_of(holder): api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = [ptr], ctypes.c_char_p; return api.PyCapsule_GetName(id(holder))
def text(m):
    shape, strides = ("NULL" if not p else str(p[:m.ndim]) if 0 <= m.ndim <= 64 else "unread" for p in (m.shape, m.strides)); head = "legacy"
    if isinstance(m, Versioned): head = f"versioned {m.major}.{m.minor} flags {m.flags}"
    return (f"{head} deleter {'set' if m.deleter else 'NULL'} dtype ({m.code}, {m.bits}, {m.lanes})" f" device ({m.device_type}, {m.device_id}) ndim {m.ndim} shape {shape}" f" strides {strides} offset {m.byte_offset} data {'set' if m.data else 'NULL'}")
def elements(m):
    out, size, shape = b"", (m.bits * m.lanes + 7) // 8, m.shape[:m.ndim] if m.ndim else []; strides = [math.prod(shape[i + 1:]) for i in range(m.ndim)]
    if m.strides and m.ndim: strides = m.strides[:m.ndim]
    for index in itertools.product(*map(range, shape)): place = sum(i * stride for i, stride in zip(index, strides)); out += ctypes.string_at(m.data + m.byte_offset + size * place, size)
    return out.hex()
from_dlpack = OrtValue.from_dlpack
t1 = OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex("00000000"), "float32").reshape(()))
c2 = t1.__dlpack__()
saw(name_of(c2), b"dltensor")
m1 = inside(c2); saw(text(m1), "legacy deleter set dtype (2, 32, 1) device (1, 0) ndim 0 shape NULL strides NULL offset 0 data set")
saw(name_of(c2), b"dltensor")
c4 = t1.__dlpack__()
saw(name_of(c4), b"dltensor")
m2 = inside(c4); saw(text(m2), "legacy deleter set dtype (2, 32, 1) device (1, 0) ndim 0 shape NULL strides NULL offset 0 data set")
saw(name_of(c4), b"dltensor")
c6 = t1.__dlpack__()
saw(name_of(c6), b"dltensor")
m3 = inside(c6); saw(text(m3), "legacy deleter set dtype (2, 32, 1) device (1, 0) ndim 0 shape NULL strides NULL offset 0 data set")
saw(name_of(c6), b"dltensor")
del c2
saw(ctypes.string_at(t1.data_ptr(), t1.tensor_size_in_bytes()).hex(), "00000000")
del t1
differs(elements(m3), "00000000")
del c6
del c4
print("the library answers as when the fault was found", flush=True)
os._exit(1)
