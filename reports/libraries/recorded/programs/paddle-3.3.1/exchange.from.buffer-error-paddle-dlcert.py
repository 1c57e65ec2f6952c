# exchange.from.buffer-error (paddle 3.3.1): an object that DLPack cannot describe sets BufferError
# error: expected BufferError but found RuntimeError: Unimplemented error. Invalid dimension to be accessed. Now only supports access to dimension 0 to 9, but received dimension is 10.   [/paddle/paddle/common/ddim.h:155]
# Rule: dlpack.h v1.3, DLPackManagedTensorFromPyObjectNoSync
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, sys
try:
    import paddle
    from paddle.utils.dlpack import from_dlpack
    library = paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(0))
t1 = paddle.as_strided(paddle.to_tensor([0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 64, 192, 0, 0, 0, 0], "uint8").view(paddle.float32), (2, 2), (2, 1), 0).to_sparse_coo(2)
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
