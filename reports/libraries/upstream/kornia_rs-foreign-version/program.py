"""kornia_rs.image.Image.from_dlpack() takes a DLPack tensor of version 2.0 as one of version 1.

Of a tensor of another major version a consumer knows the version and how to call the deleter. Every
other field may lie elsewhere. A right consumer refuses such a tensor and reads none of its fields.
In the first try the fields are those of version 1; in the second nothing can be read behind them.

Exit code: 1 if kornia-rs is wrong, 0 if it is right, 2 if anything else went wrong.
"""

import ctypes
import mmap
import signal
import subprocess
import sys
import traceback

c = ctypes


class Head(c.Structure):  # what all versions of DLManagedTensorVersioned have
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("manager_ctx", c.c_void_p),
                ("deleter", c.c_void_p), ("flags", c.c_uint64)]


class Rest(c.Structure):  # DLTensor, as it is in version 1
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32),
                ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.c_void_p), ("strides", c.c_void_p),
                ("byte_offset", c.c_uint64)]


class Source:
    def __init__(self, address):
        new = c.pythonapi.PyCapsule_New
        new.restype, new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
        self.capsule = new(address, b"dltensor_versioned", None)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **keywords):
        return self.capsule


@c.CFUNCTYPE(None, c.c_void_p)
def deleter(tensor):
    pass  # what the tensor needs lives until the process ends


def take(readable):
    """Imports the tensor. Behind its head are fields as in version 1, or memory without access."""
    import kornia_rs

    page = mmap.PAGESIZE
    libc = c.CDLL(None)
    libc.mmap.restype = c.c_void_p
    libc.mmap.argtypes = [c.c_void_p, c.c_size_t] + 3 * [c.c_int] + [c.c_long]
    read_write = mmap.PROT_READ | mmap.PROT_WRITE
    pages = libc.mmap(None, 2 * page, read_write, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    border = pages + page
    head = Head.from_address(border - c.sizeof(Head))
    head.major, head.minor = 2, 0
    head.deleter = c.cast(deleter, c.c_void_p).value
    elements, ones = (c.c_uint8 * 3)(1, 2, 3), (c.c_int64 * 3)(1, 1, 3)
    strides = (c.c_int64 * 3)(3, 3, 1)
    if readable:
        rest = Rest.from_address(border)
        rest.data, rest.device_type, rest.ndim = c.addressof(elements), 1, 3
        rest.code, rest.bits, rest.lanes = 1, 8, 1  # uint8
        rest.shape, rest.strides = c.addressof(ones), c.addressof(strides)
    else:
        libc.mprotect.argtypes = [c.c_void_p, c.c_size_t, c.c_int]
        assert libc.mprotect(border, page, 0) == 0
    from_dlpack, source = kornia_rs.image.Image.from_dlpack, Source(c.addressof(head))
    try:
        image = from_dlpack(source)
    except Exception as error:
        print(f"right: refused: {error!r}")
        return 0
    print("WRONG: it was taken as an image of the size", image.size)
    return 1


def main():
    import kornia_rs

    print("kornia-rs", kornia_rs.__version__, flush=True)
    codes = []
    for what in ("readable", "unreadable"):
        code = subprocess.run([sys.executable, __file__, what]).returncode
        if code < 0:
            print(f"WRONG: {what}: the process ended by {signal.Signals(-code).name}", flush=True)
        codes.append(1 if code < 0 else code)
    return 2 if 2 in codes else max(codes)


if __name__ == "__main__":
    try:
        sys.exit(take(sys.argv[1] == "readable") if sys.argv[1:] else main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
