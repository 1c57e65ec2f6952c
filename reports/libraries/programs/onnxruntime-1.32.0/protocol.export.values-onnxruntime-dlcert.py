# protocol.export.values (onnxruntime 1.32.0): sparse data is refused or exported with its values
# read of a tensor: expected success but found RuntimeError: /onnxruntime_src/onnxruntime/python/onnxruntime_pybind_ortvalue.cc:371 onnxruntime::python::addOrtValueMethods(pybind11::module&)::<lambda(OrtValue*)> ml_value->IsTensor() was false. Only OrtValues that are Tensors are currently supported 
# Rule: derived: array API draft, array_object.py __dlpack__ (exports the array); array API draft, creation_functions.py from_dlpack Returns; DLPack docs/source/python_spec.rst @7f393bb lines 15-18
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported
# or a name of this program has no value.
import ctypes, os, signal, sys
try:
    import ctypes, numpy, onnxruntime
    from onnxruntime import OrtValue
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
def unhandled(*error):
    sys.__excepthook__(*error)
    os._exit(2 if issubclass(error[0], NameError) else 0)
sys.excepthook = unhandled
def saw(found, then):  # `then` was the answer when the fault was found
    print(found, flush=True)
    if found != then:
        print(f"  when the fault was found: {then}")
        print("the library answers otherwise than when the fault was found", flush=True)
        os._exit(0)
def error_of(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
from_dlpack = OrtValue.from_dlpack
t1 = OrtValue.ort_value_from_sparse_tensor(onnxruntime.SparseTensor.sparse_coo_from_numpy(numpy.array([3]), numpy.ones(1, numpy.float32), numpy.array([1]), onnxruntime.OrtDevice.make("cpu", 0)))
saw(error_of(lambda: ctypes.string_at(t1.data_ptr(), t1.tensor_size_in_bytes()).hex()), "RuntimeError")
del t1
print("the library answers as when the fault was found", flush=True)
os._exit(1)
