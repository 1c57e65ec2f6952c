# stream.omitted-means-none (torch 2.15.0+cu132): leaving the stream out orders what None orders
# Rule: array API draft, array_object.py __dlpack__: stream defaults to None, the legacy default stream
# Run: dlcert with-simulated-gpu python THIS (work runs late there); on a GPU the read may win the race
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import ctypes, sys
try:
    import torch
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
LEGACY, TO_HOST = ctypes.c_void_p(1), 2


def read_behind(**arguments):  # on the legacy default stream, as its consumer may
    x = torch.tensor([1.0]).to("cuda:0")
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        x.copy_(torch.tensor([7.0]).pin_memory(), non_blocking=True)
        capsule = x.__dlpack__(**arguments)
    found = torch.zeros(1)
    cudart.cudaMemcpyAsync(ctypes.c_void_p(found.data_ptr()), ctypes.c_void_p(x.data_ptr()),
                           ctypes.c_size_t(4), TO_HOST, LEGACY)
    cudart.cudaStreamSynchronize(LEGACY)
    torch.cuda.synchronize()  # before the memory is another tensor's
    return found.item()


given, left_out = read_behind(stream=None), read_behind()
print(f"stream=None: {given}, left out: {left_out}; expected 7.0 of both")
sys.exit(int(left_out != 7.0))
