# sharing.survives-source-drop, lifetime.memory-valid-until-deleter (onnxruntime 1.32.0): the memory goes with the source.
# Rule: DLPack's Python page, semantics: the result of from_dlpack keeps the memory alive, whatever becomes of the source.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys, weakref
try:
    import numpy
    from onnxruntime import OrtValue
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
elements = numpy.full(1 << 10, 7, "float32")
freed = weakref.ref(elements)
value = OrtValue.ortvalue_from_numpy(elements)
array = numpy.from_dlpack(value)
del elements, value
print("the elements were freed" if freed() is None else "the elements are there")
others = [numpy.full(1 << 10, 9, "float32") for _ in range(4)]
print(array[:4])
sys.exit(freed() is None)
