# exchange.from.same-rules (torch 2.15.0): the exchange table gives a lazily negated tensor with the sign of its memory.
# Rule: what the table gives obeys the rules of __dlpack__: an export holds the elements of its source.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes
import sys
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
table = (ctypes.c_void_p * 7).from_address(
    pointer(torch.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
from_py_object = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(table[3])
tensor = torch.tensor([1 + 2j]).conj().imag
managed = ctypes.c_void_p()
code = from_py_object(tensor, ctypes.addressof(managed))
# DLManagedTensorVersioned: data behind the version, the context, the deleter and the flags.
data = ctypes.c_void_p.from_address(managed.value + 32).value if code == 0 else None
offset = ctypes.c_uint64.from_address(managed.value + 72).value if code == 0 else 0
found = ctypes.c_float.from_address(data + offset).value if data else None
print("code", code, "the tensor has", tensor.item(), "and its export", found)
sys.exit(code == 0 and found != tensor.item())
