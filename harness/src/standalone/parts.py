# SPDX-License-Identifier: Apache-2.0
# What programs in Python are made of: each takes the parts that it names (python_program.cpp).

# ----
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)

# ----
def differs(found, wanted):  # the fault is any answer but `wanted`
    print(found, flush=True)
    if found == wanted:
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)

# ----
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__

# ----
ptr, i32, i64, u8, u16, u32, u64 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint8,
                                    ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64)

# ----
TENSOR = [("data", ptr), ("device_type", i32), ("device_id", i32), ("ndim", i32), ("code", u8),
          ("bits", u8), ("lanes", u16), ("shape", ctypes.POINTER(i64)),
          ("strides", ctypes.POINTER(i64)), ("byte_offset", u64)]

# ----
class Legacy(ctypes.Structure):
    name, _fields_ = b"dltensor", TENSOR + [("context", ptr), ("deleter", ptr)]

# ----
class Versioned(ctypes.Structure):
    name = b"dltensor_versioned"
    _fields_ = [("major", u32), ("minor", u32), ("context", ptr), ("deleter", ptr),
                ("flags", u64)] + TENSOR

# ----
api = ctypes.PyDLL(None)  # of its own: a library may have set the types of ctypes.pythonapi
api.PyCapsule_IsValid.argtypes = api.PyCapsule_GetPointer.argtypes = [ptr, ctypes.c_char_p]

# ----
def inside(holder):  # its struct
    kind = Versioned if api.PyCapsule_IsValid(id(holder), Versioned.name) else Legacy
    api.PyCapsule_GetPointer.restype = ptr
    return kind.from_address(api.PyCapsule_GetPointer(id(holder), kind.name))

# ----
def name_of(holder):
    api.PyCapsule_GetName.argtypes, api.PyCapsule_GetName.restype = [ptr], ctypes.c_char_p
    return api.PyCapsule_GetName(id(holder))

# ----
def rename(holder, name, kept=[]):
    kept.append(name)
    api.PyCapsule_SetName.argtypes = [ptr, ctypes.c_char_p]
    api.PyCapsule_SetName(id(holder), name)

# ----
def text(m):
    shape, strides = ("NULL" if not p else str(p[:m.ndim]) if 0 <= m.ndim <= 64 else "unread"
                      for p in (m.shape, m.strides))
    head = "legacy"
    if isinstance(m, Versioned):
        head = f"versioned {m.major}.{m.minor} flags {m.flags}"
    return (f"{head} deleter {'set' if m.deleter else 'NULL'} dtype ({m.code}, {m.bits}, {m.lanes})"
            f" device ({m.device_type}, {m.device_id}) ndim {m.ndim} shape {shape}"
            f" strides {strides} offset {m.byte_offset} data {'set' if m.data else 'NULL'}")

# ----
def elements(m):  # in row-major order
    out, size, shape = b"", (m.bits * m.lanes + 7) // 8, m.shape[:m.ndim] if m.ndim else []
    strides = [math.prod(shape[i + 1:]) for i in range(m.ndim)]
    if m.strides and m.ndim:
        strides = m.strides[:m.ndim]
    for index in itertools.product(*map(range, shape)):
        place = sum(i * stride for i, stride in zip(index, strides))
        out += ctypes.string_at(m.data + m.byte_offset + size * place, size)
    return out.hex()

# ----
def logical(tensor):
    holder = tensor.__dlpack__()
    return elements(inside(holder))

# ----
def delete(m):
    return m.deleter and ctypes.CFUNCTYPE(None, ptr)(m.deleter)(ctypes.addressof(m))

# ---- where the process ends
def memory(data):  # between inaccessible pages; its last byte lies before one
    block = mmap.mmap(-1, len(data) // 4096 * 4096 + 12288)
    begin = ctypes.addressof(u8.from_buffer(block))
    end = begin + len(block) - 4096
    for page in (begin, end):
        ctypes.CDLL(None).mprotect(ptr(page), 4096, 0)
    kept = (u8 * len(data)).from_address(end - len(data))
    kept[:], kept.block = data, block
    return kept

# ---- where it answers
def memory(data):  # as aligned as the harness's, amid bytes that are no elements
    block = (u8 * (len(data) + 576))(*[0xdb] * (len(data) + 576))
    kept = (u8 * len(data)).from_buffer(block, 256 + -(ctypes.addressof(block) + len(data)) % 64)
    kept[:] = data
    return kept

# ----
def mapped(size):  # only what is touched takes memory
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    return (u8 * size).from_buffer(mmap.mmap(-1, size, flags=flags))

# ----
offers = []
def offer(kind, storage, shape, strides, at=0, **fields):  # a managed tensor of this program's own
    calls, kept = [], memory(storage)
    callback = ctypes.CFUNCTYPE(None, ptr)(calls.append)
    lists = [None if p is None else (i64 * len(p))(*p) for p in (shape, strides)]
    m = kind(**{"data": ctypes.addressof(kept) + at, "deleter": ctypes.cast(callback, ptr),
                "context": ctypes.addressof(kept), "shape": lists[0], "strides": lists[1],
                **fields})
    m.calls, m.kept = calls, (callback, kept)
    return offers.append(m) or m

# ----
def sealed(m):  # nothing behind its flags is accessible
    block = mmap.mmap(-1, 8192)
    end = ctypes.addressof(u8.from_buffer(block)) + 4096
    ctypes.memmove(end - 32, ctypes.addressof(m), 32)
    ctypes.CDLL(None).mprotect(ptr(end), 4096, 0)
    head = Versioned.from_address(end - 32)
    head.calls, head.kept = m.calls, (m, block)
    return head

# ----
held = []
def capsule(m):  # without a destructor of Python's, which could not run while an error is raised
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ptr, ctypes.c_char_p, ptr]
    nothing = ctypes.cast(api.Py_IsInitialized, ptr)  # tvm-ffi clears it and keeps the name
    held.append((api.PyCapsule_New(ctypes.addressof(m), m.name, nothing), m))
    return held[-1][0]

# ----
def calls(m):  # of its deleter, which is called for a capsule that was dropped unused
    gc.collect()  # a library may release what it was lent at the next collection
    api.PyCapsule_GetDestructor.argtypes, api.PyCapsule_GetDestructor.restype = [ptr], ptr
    for pair in [pair for pair in held if sys.getrefcount(pair[0]) == 2]:
        held.remove(pair)
        address, lent = id(pair[0]), pair[1]
        if api.PyCapsule_GetDestructor(address) and api.PyCapsule_IsValid(address, lent.name):
            delete(lent)
    return len(m.calls)

# ----
class Producer:
    __dlpack_device__ = lambda self: self.device
    def __init__(self, device, m):
        self.device, self.m = device, m
    def __dlpack__(self, max_version=None, **others):
        if self.m is None or self.m.name == b"dltensor_versioned" and (max_version or (0,))[0] < 1:
            raise BufferError("no such export")
        m, self.m = self.m, None
        return capsule(m)

# ----
class Memory:  # a tensor of this program's own, in the form that it is asked for
    __dlpack_device__ = lambda self: self.device
    def __init__(self, device, *layout, **fields):
        self.device, self.layout, self.fields = device, layout, fields
    def __dlpack__(self, max_version=None, **others):
        legacy = (max_version or (0,))[0] < 1
        return capsule(offer(Legacy, *self.layout, **self.fields) if legacy else
                       offer(Versioned, *self.layout, major=1, **self.fields))

# ----
def raising(name, message):
    def raise_it(*_, **__):
        raise (getattr(builtins, name, None) or type(name, (Exception,), {}))(message)
    return raise_it

# ----
cudart = ctypes.CDLL("libcudart.so.13")

# ----
def synchronize(device):
    before = ctypes.c_int()
    cudart.cudaGetDevice(ctypes.byref(before))
    cudart.cudaSetDevice(device)
    cudart.cudaDeviceSynchronize()
    cudart.cudaSetDevice(before)
