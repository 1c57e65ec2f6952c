# exchange.from.same-rules (torch 2.15.0+cu132): lazy, sparse or byte-swapped data is refused by the table or exported with its values
# export of data that is lazily conjugated: expected a refusal or its values but found others
# Rule: derived: dlpack.h v1.3, DLPackExchangeAPI and DLTensor
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
t1 = torch.conj(torch.frombuffer(bytearray.fromhex("0000803f000000c0"), dtype=torch.uint8).view(torch.complex64).as_strided((), (), 0))
# cannot be shown without dlcert: library.exchange_table()
# cannot be shown without dlcert: library.object_of(t1)
# cannot be shown without dlcert: library.table.managed_tensor_from_py_object_no_sync(an object)
# cannot be shown without dlcert: library: what follows, until the next line like this, has the interpreter's lock
# cannot be shown without dlcert:   0
# cannot be shown without dlcert: library.take_object_error()
# cannot be shown without dlcert: call the deleter of unknown
# cannot be shown without dlcert: library.drop_object(an object)
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
