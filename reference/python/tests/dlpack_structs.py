# SPDX-License-Identifier: Apache-2.0
"""The structs of dlpack.h 1.3 and capsules around them, and memory that counts its deletions."""

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    py_object,
)

api = ctypes.pythonapi
api.PyCapsule_New.restype = py_object
api.PyCapsule_New.argtypes = [c_void_p, c_void_p, c_void_p]  # a name is not copied
api.PyCapsule_GetPointer.restype = c_void_p
api.PyCapsule_GetPointer.argtypes = [py_object, c_char_p]
api.PyCapsule_GetName.restype = c_char_p
api.PyCapsule_GetName.argtypes = [py_object]
api.PyCapsule_SetName.argtypes = [py_object, c_char_p]

READ_ONLY, COPIED, PADDED = 1, 2, 4
UINT8 = (1, 8, 1)
FLOAT32 = (2, 32, 1)

# Capsules keep the address of a name alone.
NAMES = {
    form: ctypes.create_string_buffer(form.encode()) for form in ("dltensor", "dltensor_versioned")
}


class Tensor(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]

    def dims(self, numbers: "POINTER(c_int64)") -> tuple[int, ...]:
        return tuple(numbers[axis] for axis in range(self.ndim))


Deleter = CFUNCTYPE(None, c_void_p)


class Managed(Structure):
    _fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", Deleter)]


class ManagedVersioned(Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", Deleter),
        ("flags", c_uint64),
        ("tensor", Tensor),
    ]


SetError = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class Table(Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("prev", c_void_p),
        (
            "allocate",
            CFUNCTYPE(
                c_int, POINTER(Tensor), POINTER(POINTER(ManagedVersioned)), c_void_p, SetError
            ),
        ),
        ("from_object", ctypes.PYFUNCTYPE(c_int, py_object, POINTER(POINTER(ManagedVersioned)))),
        ("to_object", ctypes.PYFUNCTYPE(c_int, POINTER(ManagedVersioned), POINTER(py_object))),
        ("view", ctypes.PYFUNCTYPE(c_int, py_object, POINTER(Tensor))),
        ("work_stream", ctypes.PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))),
    ]


def name_of(capsule: object) -> str:
    return api.PyCapsule_GetName(capsule).decode()


def managed_in(capsule: object) -> Managed | ManagedVersioned:
    """What a live capsule holds; valid as long as the capsule does."""
    name = name_of(capsule)
    kind = {"dltensor": Managed, "dltensor_versioned": ManagedVersioned}[name]
    return kind.from_address(api.PyCapsule_GetPointer(capsule, name.encode()))


class Memory:
    """Bytes that are lent in managed tensors, with a count of the deleter's calls."""

    def __init__(
        self,
        data: bytes,
        shape: tuple[int, ...],
        dtype: tuple[int, int, int] = UINT8,
        strides: tuple[int, ...] | None = None,
        flags: int = 0,
        version: tuple[int, int] = (1, 3),
    ):
        self.deleted = 0
        self.bytes = ctypes.create_string_buffer(data, len(data))
        numbers = c_int64 * len(shape)
        self._dims = numbers(*shape), None if strides is None else numbers(*strides)
        self._delete = Deleter(self._count)
        tensor = Tensor(
            ctypes.addressof(self.bytes), 1, 0, len(shape), *dtype, self._dims[0], self._dims[1], 0
        )
        self.legacy = Managed(tensor, None, self._delete)
        self.versioned = ManagedVersioned(*version, None, self._delete, flags, tensor)

    def _count(self, managed: int) -> None:
        self.deleted += 1

    def capsule(self, form: str = "dltensor_versioned") -> object:
        """A capsule without a destructor."""
        managed = self.legacy if form == "dltensor" else self.versioned
        return api.PyCapsule_New(ctypes.addressof(managed), ctypes.addressof(NAMES[form]), None)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.bytes)


class Producer:
    """An object with the two methods alone, which notes how it is asked."""

    def __init__(self, memory: Memory, form: str = "dltensor_versioned", device: object = (1, 0)):
        self.memory, self.form, self.device = memory, form, device
        self.asked: list[dict[str, object]] = []

    def __dlpack__(self, **keywords: object) -> object:
        self.asked.append(keywords)
        return self.memory.capsule(self.form)

    def __dlpack_device__(self) -> object:
        return self.device
