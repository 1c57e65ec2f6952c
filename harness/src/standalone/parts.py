# SPDX-License-Identifier: Apache-2.0
# What programs in Python are made of (python_parts.cpp). A line "# ---- NAME" begins a part. A
# program has the parts whose definitions it names. A part names only definitions of earlier parts.

# ---- verdict
def verdict(keeps):
    print(f"the library {'keeps' if keeps else 'breaks'} the rule", flush=True)
    os._exit(0 if keeps else 1)

# ---- judge
def judge(found, expected):
    print(f"expected: {expected!r}\nfound:    {found!r}", flush=True)
    verdict(found == expected)

# ---- judge_that
def judge_that(holds, found, expected):
    """Of a value that may be one of several: `expected` says which, in words."""
    print(f"expected: {expected}\nfound:    {found!r}", flush=True)
    verdict(holds)

# ---- judge_refusal
def judge_refusal(call, *kinds):
    expected = " or ".join(kind.__name__ for kind in kinds) or "an exception"
    try:
        call()
    except NameError:
        raise
    except kinds or Exception as error:
        print(f"raised: {error!r}")
        judge(expected, expected)
    except Exception as error:
        judge(repr(error), expected)
    judge("no exception", expected)

# ---- judge_kind_of_refusal
def judge_kind_of_refusal(call, *kinds):
    """The call may succeed. If it is refused, then by an exception of these kinds."""
    expected = " or ".join(kind.__name__ for kind in kinds)
    try:
        call()
    except NameError:
        raise
    except kinds as error:
        print(f"raised: {error!r}")
        judge(expected, expected)
    except Exception as error:
        judge(repr(error), expected)
    judge("no exception", "no exception")

# ---- judge_success
def judge_success(call):
    try:
        call()
    except NameError:
        raise
    except Exception as error:
        judge(repr(error), "no exception")
    judge("no exception", "no exception")

# ---- judge_capsule
def judge_capsule(call):
    try:
        made = call()
    except NameError:
        raise
    except Exception as error:
        judge(repr(error), "a capsule")
    judge("a capsule" if type(made).__name__ == "PyCapsule" else repr(made), "a capsule")

# ---- refused
def refused(call):
    try:
        call()
    except NameError:
        raise
    except Exception as error:
        print(f"raised: {error!r}", flush=True)

# ---- unless_refused
def unless_refused(call):
    try:
        return call()
    except NameError:
        raise
    except Exception as error:
        print(f"raised: {error!r}, as it may\nthe library keeps the rule", flush=True)
        os._exit(0)

# ---- structs
class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    capsule_name = b"dltensor"
    _fields_ = [
        ("dl_tensor", DLTensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class DLPackVersion(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class DLManagedTensorVersioned(ctypes.Structure):
    capsule_name = b"dltensor_versioned"
    _fields_ = [
        ("version", DLPackVersion),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("dl_tensor", DLTensor),
    ]

# ---- api
api = ctypes.PyDLL(None)  # not ctypes.pythonapi, whose types a library may have set
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.c_void_p]
api.PyCapsule_SetName.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
api.PyCapsule_GetDestructor.restype = ctypes.c_void_p
api.PyCapsule_GetDestructor.argtypes = [ctypes.c_void_p]

# ---- managed_in
def managed_in(capsule):
    """The struct that a capsule holds."""
    for kind in (DLManagedTensorVersioned, DLManagedTensor):
        if api.PyCapsule_IsValid(id(capsule), kind.capsule_name):
            return kind.from_address(api.PyCapsule_GetPointer(id(capsule), kind.capsule_name))
    raise TypeError(f"no capsule of a tensor: {capsule!r}")

# ---- name_of
def name_of(capsule):
    name = api.PyCapsule_GetName(id(capsule))
    return name if name is None else name.decode()

# ---- rename
names = []


def rename(capsule, name):
    names.append(name and name.encode())  # the capsule keeps the pointer
    api.PyCapsule_SetName(id(capsule), names[-1])

# ---- extents
def extents(tensor):
    return list((ctypes.c_int64 * tensor.ndim).from_address(tensor.shape)) if tensor.ndim else []

# ---- strides_of
def strides_of(tensor):
    if tensor.strides and tensor.ndim:
        return list((ctypes.c_int64 * tensor.ndim).from_address(tensor.strides))
    shape = extents(tensor)
    return [math.prod(shape[axis + 1:]) for axis in range(tensor.ndim)]

# ---- addresses
def addresses(tensor):
    """Of all elements, in row-major order, with the size of an element."""
    size = (tensor.dtype.bits * tensor.dtype.lanes + 7) // 8
    for index in itertools.product(*map(range, extents(tensor))):
        place = sum(i * stride for i, stride in zip(index, strides_of(tensor)))
        yield tensor.data + tensor.byte_offset + size * place, size

# ---- elements
def elements(managed):
    """The bytes of all elements in row-major order, in hexadecimal."""
    return b"".join(ctypes.string_at(*place) for place in addresses(managed.dl_tensor)).hex()

# ---- set_elements
def set_elements(managed, data):
    for number, (address, size) in enumerate(addresses(managed.dl_tensor)):
        ctypes.memmove(address, data[number * size:(number + 1) * size], size)

# ---- logical
def logical(array):
    capsule = array.__dlpack__()
    return elements(managed_in(capsule))

# ---- element_count
def element_count(tensor):
    return math.prod(extents(tensor))

# ---- bytes_of_element
def bytes_of_element(tensor):
    return (tensor.dtype.bits * tensor.dtype.lanes + 7) // 8

# ---- has_no_negative_extent
def has_no_negative_extent(tensor):
    return all(extent >= 0 for extent in extents(tensor))

# ---- stride_of
def stride_of(tensor, axis):
    return strides_of(tensor)[axis]

# ---- first_element
def first_element(managed):
    """The address of the first element."""
    return (managed.dl_tensor.data or 0) + managed.dl_tensor.byte_offset

# ---- address_of
def address_of(array):
    capsule = array.__dlpack__()
    return first_element(managed_in(capsule))

# ---- described
def described(array):
    """What an array says of itself: of one without these members, a program judges nothing."""
    if not {"dtype", "shape"} <= set(dir(array)):
        os._exit(2)
    return str(array.dtype), tuple(array.shape)

# ---- dtype_of
def dtype_of(array):
    """Type code, bits and lanes, as the library exports the array."""
    capsule = array.__dlpack__()
    dtype = managed_in(capsule).dl_tensor.dtype
    return dtype.code, dtype.bits, dtype.lanes

# ---- shape_of
def shape_of(array):
    """As the library exports the array."""
    capsule = array.__dlpack__()
    return extents(managed_in(capsule).dl_tensor)

# ---- delete
def delete(managed):
    if managed.deleter:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))

# ---- memory
def memory(data):
    """Aligned as far as its end is, amid bytes that are no elements."""
    block = (ctypes.c_uint8 * (len(data) + 576))(*[0xdb] * (len(data) + 576))
    begin = 256 + -(ctypes.addressof(block) + len(data)) % 64
    kept = (ctypes.c_uint8 * len(data)).from_buffer(block, begin)
    kept[:] = data
    return kept

# ---- guarded_memory
def memory(data):
    """Between two pages that cannot be accessed; its last byte is the last before a page."""
    block = mmap.mmap(-1, len(data) // 4096 * 4096 + 3 * 4096)
    begin = ctypes.addressof(ctypes.c_uint8.from_buffer(block))
    end = begin + len(block) - 4096
    for page in (begin, end):
        ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), 4096, 0)
    kept = (ctypes.c_uint8 * len(data)).from_address(end - len(data))
    kept[:] = data
    kept.block = block
    return kept

# ---- offer
offers = []


def int64s(values):
    return None if values is None else (ctypes.c_int64 * len(values))(*values)


def offer(kind, storage, dtype, device, shape, strides, ndim, data_at=0, byte_offset=0,
          version=(1, 3), flags=0, **fields):
    """A managed tensor of this program's own, which notes the calls of its deleter."""
    managed = kind()
    managed.calls = []
    managed.kept = [memory(storage), int64s(shape), int64s(strides),
                    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.calls.append)]
    data, shape, strides, managed.deleter = (
        kept if kept is None else ctypes.cast(kept, ctypes.c_void_p) for kept in managed.kept)
    managed.manager_ctx = data
    managed.dl_tensor = DLTensor(data.value + data_at, device, ndim, dtype, shape, strides,
                                 byte_offset)
    if kind is DLManagedTensorVersioned:
        managed.version = version
        managed.flags = flags
    if "data" in fields:
        managed.dl_tensor.data = fields.pop("data")
    for name, value in fields.items():
        setattr(managed, name, value)
    offers.append(managed)
    return managed

# ---- sealed
def sealed(managed):
    """The same, but all members behind its flags cannot be accessed."""
    block = mmap.mmap(-1, 8192)
    end = ctypes.addressof(ctypes.c_uint8.from_buffer(block)) + 4096
    ctypes.memmove(end - 32, ctypes.addressof(managed), 32)
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(end), 4096, 0)
    head = DLManagedTensorVersioned.from_address(end - 32)
    head.calls = managed.calls
    head.kept = (managed, block)
    return head

# ---- mapped
def mapped(size):
    """Memory that takes only the pages that are touched."""
    map_noreserve = 0x4000
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | map_noreserve
    return (ctypes.c_uint8 * size).from_buffer(mmap.mmap(-1, size, flags=flags))

# ---- new_capsule
lent = []
asked_for = []  # the addresses of all that was ever lent


def new_capsule(managed):
    """A capsule of an offer. Its destructor does nothing."""
    nothing = ctypes.cast(api.Py_IsInitialized, ctypes.c_void_p)
    made = api.PyCapsule_New(ctypes.addressof(managed), managed.capsule_name, nothing)
    lent.append((made, managed))
    asked_for.append(ctypes.addressof(managed))
    return made

# ---- used_capsule
def used_capsule(managed):
    used = new_capsule(managed)
    rename(used, "used_" + managed.capsule_name.decode())
    return used

# ---- deletions
def deletions(managed):
    """How often the deleter was called. A capsule that was dropped unused calls it as well, and so
    does the owner of what nobody asked for."""
    gc.collect()
    if ctypes.addressof(managed) not in asked_for:
        asked_for.append(ctypes.addressof(managed))
        delete(managed)
    for pair in [pair for pair in lent if sys.getrefcount(pair[0]) == 2]:
        lent.remove(pair)
        address, offered = id(pair[0]), pair[1]
        is_unused = api.PyCapsule_IsValid(address, offered.capsule_name)
        if is_unused and api.PyCapsule_GetDestructor(address):
            delete(offered)
    return len(managed.calls)

# ---- producer
class Producer:
    """An object that hands out one managed tensor."""

    def __init__(self, device, managed):
        self.device = device
        self.original = self.managed = managed
        self.requests = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        self.requests.append(options)
        takes_versioned = (options.get("max_version") or (0, 0))[0] >= 1
        if self.managed is None:
            raise BufferError("nothing left to export")
        if isinstance(self.managed, DLManagedTensorVersioned) and not takes_versioned:
            raise BufferError("only a versioned export")
        managed, self.managed = self.managed, None
        return new_capsule(managed)

# ---- data
class Data:
    """An array of this program's own."""

    def __init__(self, storage, device, **fields):
        self.storage = storage
        self.device = device
        self.fields = fields

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, max_version=None, **others):
        takes_versioned = max_version is not None and max_version[0] >= 1
        kind = DLManagedTensorVersioned if takes_versioned else DLManagedTensor
        return new_capsule(offer(kind, self.storage, device=self.device, **self.fields))

# ---- copy_of
def copy_of(managed, device):
    """The same elements in other memory, with the flag of a copy."""
    copied = type(managed).from_buffer_copy(managed)
    copied.calls = []
    copied.kept = [memory(bytes(managed.kept[0])), *managed.kept[1:3],
                   ctypes.CFUNCTYPE(None, ctypes.c_void_p)(copied.calls.append)]
    copied.deleter = ctypes.cast(copied.kept[3], ctypes.c_void_p)
    copied.dl_tensor.data += ctypes.addressof(copied.kept[0]) - ctypes.addressof(managed.kept[0])
    copied.dl_tensor.device = device
    if isinstance(copied, DLManagedTensorVersioned):
        copied.flags |= 2
    offers.append(copied)
    return copied

# ---- ArrayProducer
class ArrayProducer(Producer):
    """An object that hands out its managed tensor once, and any number of copies."""
    refuses_copies = False

    def __dlpack__(self, **options):
        device = options.get("dl_device") or self.device
        wants_copy = options.get("copy")
        if device == self.device and not wants_copy:
            return super().__dlpack__(**options)
        self.requests.append(options)
        if wants_copy and self.refuses_copies:
            raise BufferError("no copies")
        if wants_copy is False or device not in (self.device, (1, 0)):
            raise BufferError("no such export")
        return new_capsule(copy_of(self.original, device))

# ---- raising
def raising(name, message):
    """A method that raises an exception."""
    def method(*_, **__):
        kind = getattr(builtins, name, None) or type(name, (Exception,), {})
        raise kind(message)
    return method
