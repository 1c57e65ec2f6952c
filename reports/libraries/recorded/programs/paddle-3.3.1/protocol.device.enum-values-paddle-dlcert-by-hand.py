# protocol.device.signature, protocol.device.enum-values and others (paddle 3.3.1): the host has no index.
# Rule: array API, __dlpack_device__: a tuple of the device type and the integer index; dlpack.h: the index of the host is 0.
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import sys
try:
    import paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
device = paddle.zeros([1]).__dlpack_device__()
print(device)
sys.exit(not isinstance(device[1], int))
