# exchange.from.buffer-error (torch 2.15.0+cu132): an object that DLPack cannot describe sets BufferError
# error: expected BufferError but found RuntimeError: QUInt/QInt types are not supported by dlpack Exception raised from getDLDataType at /__w/pytorch/pytorch/aten/src/ATen/DLConvertor.cpp:95 (most recent call first): frame #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >) + 0x9d (0x(address) in <environment>/ ...
# Rule: dlpack.h v1.3, DLPackManagedTensorFromPyObjectNoSync
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import os, signal, sys
try:
    import torch
    from torch import from_dlpack
    library = torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
t1 = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
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
