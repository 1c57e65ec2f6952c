# exchange.from.buffer-error (torch 2.10.0+cu128): an object that DLPack cannot describe sets BufferError
# error: expected BufferError but found RuntimeError: Cannot access data pointer of Tensor that doesn't have storage Exception raised from throw_data_ptr_access_error at /pytorch/c10/core/TensorImpl.cpp:307 (most recent call first): frame #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >) + 0x9d (0x(address) in <tmp>/cells_wo ...
# Rule: dlpack.h v1.3, DLPackManagedTensorFromPyObjectNoSync
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import torch
    from torch import from_dlpack
    library = torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
t1 = torch.frombuffer(bytearray.fromhex("0000803f"), dtype=torch.uint8).view(torch.float32).as_strided((), (), 0).to_sparse()
# cannot be shown without dlcert: library.object_of(t1)
# cannot be shown without dlcert: library.exchange_table()
# cannot be shown without dlcert: library.table.managed_tensor_from_py_object_no_sync(an object)
# cannot be shown without dlcert: library: what follows, until the next line like this, has the interpreter's lock
# cannot be shown without dlcert:   -1
# cannot be shown without dlcert: library.take_object_error()
# cannot be shown without dlcert: library.drop_object(an object)
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
