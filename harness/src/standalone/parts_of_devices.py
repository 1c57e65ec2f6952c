# SPDX-License-Identifier: Apache-2.0
# What programs in Python are made of that use CUDA or HIP devices; behind parts.py.

# ---- cudart
def loaded_cudart():
    """The CUDA runtime that the library has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if "libcudart" in line:
                return ctypes.CDLL(line.split()[-1])
    return ctypes.CDLL("libcudart.so.13")


cudart = loaded_cudart()

# ---- hip
def loaded_hip():
    """The HIP runtime that the library has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if "libamdhip64" in line:
                return ctypes.CDLL(line.split()[-1])
    return ctypes.CDLL("libamdhip64.so.5")


hip = loaded_hip()

# ---- done
def done(status):
    if status != 0:
        raise RuntimeError(f"the GPU runtime returned error {status}")

# ---- current_device
def current_device():
    device = ctypes.c_int()
    done(cudart.cudaGetDevice(ctypes.byref(device)))
    return device.value

# ---- set_device
def set_device(device):
    done(cudart.cudaSetDevice(device))

# ---- synchronize
def synchronize(device):
    before = current_device()
    set_device(device)
    done(cudart.cudaDeviceSynchronize())
    set_device(before)

# ---- new_stream
def new_stream(non_blocking):
    """A stream of the current device."""
    stream = ctypes.c_void_p()
    done(cudart.cudaStreamCreateWithFlags(ctypes.byref(stream), int(non_blocking)))
    return stream.value

# ---- destroy_stream
def destroy_stream(stream):
    done(cudart.cudaStreamDestroy(ctypes.c_void_p(stream)))

# ---- synchronize_stream
def synchronize_stream(stream):
    done(cudart.cudaStreamSynchronize(ctypes.c_void_p(stream)))

# ---- device_memory
def device_memory(size):
    address = ctypes.c_void_p()
    done(cudart.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(size)))
    return address.value

# ---- write_later
def write_later(stream, address, size, value):
    """Nobody waits for this write."""
    done(cudart.cudaMemsetAsync(ctypes.c_void_p(address), value, ctypes.c_size_t(size),
                                ctypes.c_void_p(stream)))

# ---- wait_for
def wait_for(earlier, later):
    """The later stream waits for what the earlier one has been given."""
    event, without_timing = ctypes.c_void_p(), 2
    done(cudart.cudaEventCreateWithFlags(ctypes.byref(event), without_timing))
    done(cudart.cudaEventRecord(event, ctypes.c_void_p(earlier)))
    done(cudart.cudaStreamWaitEvent(ctypes.c_void_p(later), event, 0))
    done(cudart.cudaEventDestroy(event))

# ---- read_on
def read_on(stream, managed):
    """The bytes of all elements as the stream reads them, in hexadecimal."""
    read, by_addresses = [], 4
    for address, size in addresses(managed.dl_tensor):
        read.append((ctypes.c_uint8 * size)())
        done(cudart.cudaMemcpyAsync(read[-1], ctypes.c_void_p(address), ctypes.c_size_t(size),
                                    by_addresses, ctypes.c_void_p(stream)))
    synchronize_stream(stream)
    return b"".join(map(bytes, read)).hex()

# ---- elements_on_device
def elements_on_device(managed):
    """The bytes of all elements when the device has ended all work."""
    done(cudart.cudaDeviceSynchronize())
    return read_on(0, managed)

# ---- streams_of
def streams_of(producer):
    """The streams that consumers name to objects of this class, from now on."""
    named, export = [], producer.__dlpack__

    def method(self, **asked):
        named.append(asked.get("stream"))
        return export(self, **asked)
    producer.__dlpack__ = method
    return named

# ---- ordered
def ordered(export, own):
    """An export that lets the stream which the consumer names wait for its own one."""
    def method(self, stream=None, **asked):
        if stream != -1:
            wait_for(own, 0 if stream in (None, 0, 1) else stream)
        return export(self, stream=stream, **asked)
    return method
