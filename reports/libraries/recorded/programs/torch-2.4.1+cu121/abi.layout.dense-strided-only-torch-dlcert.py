# abi.layout.dense-strided-only (torch 2.4.1+cu121): a sparse or lazily changed array raises, or is exported with its values
# export of data that is lazily negated: expected a refusal or its values but found others
# Rule: DLPack docs/source/python_spec.rst @7f393bb lines 27-28; array API draft, design_topics/data_interchange.rst "Non-supported use cases"
# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be imported
# or if a name in this program has no value.
import ctypes, itertools, math, os, signal, sys
try:
    import torch
    from torch import from_dlpack
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
t1 = torch._neg_view(torch.frombuffer(bytearray.fromhex("000080bf"), dtype=torch.uint8).view(torch.float32).as_strided((), (), 0))
c1 = t1.__dlpack__()
saw(name_of(c1), b"dltensor")
m1 = inside(c1); saw(text(m1), "legacy deleter set dtype (2, 32, 1) device (1, 0) ndim 0 shape [] strides [] offset 0 data set")
saw(name_of(c1), b"dltensor")
saw(elements(m1), "000080bf")
del c1
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
