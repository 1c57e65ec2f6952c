# exchange.attr.lookup-cacheable (tvm_ffi 0.1.15.post2): an attribute of the object stands for that of its type.
# Rule: dlpack.h v1.3, DLPackExchangeAPI: the table is an attribute of the type.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import numpy
    import tvm_ffi
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)


class Array(numpy.ndarray):  # whose type has no table
    pass


array = numpy.zeros(3).view(Array)
array.__dlpack_c_exchange_api__ = "no table"
try:
    tvm_ffi.from_dlpack(array)
except ValueError as error:
    print("ValueError", error)
    sys.exit(1)
