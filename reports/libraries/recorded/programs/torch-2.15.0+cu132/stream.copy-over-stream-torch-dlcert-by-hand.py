# stream.copy-over-stream (torch 2.15.0+cu132): the copy of copy=True is not made on the stream that was passed
# Rule: array API draft, __dlpack__, note on copy: the copy is enqueued on the stream that was passed
# Run: dlcert with-simulated-gpu python THIS, or with a GPU: the stream that is passed waits until all is read
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys, threading
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
api = ctypes.PyDLL(None)
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
gate, TO_HOST = threading.Event(), 2
wait = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gate.wait())

x = torch.tensor([7.0]).to("cuda:0")
found = torch.zeros(1).pin_memory()
current, passed = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
assert cudart.cudaLaunchHostFunc(ctypes.c_void_p(passed.cuda_stream), wait, None) == 0  # nothing runs on it before the gate opens
with torch.cuda.stream(current):
    capsule = x.__dlpack__(stream=passed.cuda_stream, copy=True)
tensor = api.PyCapsule_GetPointer(capsule, b"dltensor")
copied = ctypes.c_void_p.from_address(tensor)  # DLTensor.data
cudart.cudaMemcpyAsync(ctypes.c_void_p(found.data_ptr()), copied, ctypes.c_size_t(4), TO_HOST, ctypes.c_void_p(current.cuda_stream))
current.synchronize()
print(f"copied while the stream that was passed stands still: {found.item()}; expected not 7.0", flush=True)
gate.set()
torch.cuda.synchronize()
sys.exit(int(found.item() == 7.0))
