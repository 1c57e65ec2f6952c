"""Tensor.__dlpack__(stream=..., copy=True): the stream does not wait for the copy.

This program needs a CUDA GPU; two streams of it are used. PyTorch records an event on the current
stream and makes the consumer's stream wait for it, and only then enqueues the copy on the current
stream. So nothing orders the consumer behind the copy. The consumer here reads the last element of
a copy of 64 MiB. It has to read 7.0. It reads 0.0, which stood in that memory before the copy.

Exit code: 1 if PyTorch is wrong, 0 if it is right, 2 if anything else went wrong. It is a race: a
wrong PyTorch can give the right element by luck.
"""

import sys
import traceback

ELEMENTS = 1 << 24


def main():
    import torch

    print("PyTorch", torch.__version__)
    if not torch.cuda.is_available():
        raise RuntimeError("this program needs a CUDA GPU")
    x = torch.full((ELEMENTS,), 7.0).to("cuda")
    found = torch.full((1,), -1.0).pin_memory()
    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    with torch.cuda.stream(producer):
        before = torch.zeros(ELEMENTS).to("cuda")  # the allocator uses its memory for the copy
        address = before.data_ptr()
        del before
    torch.cuda.synchronize()

    with torch.cuda.stream(producer):
        torch.cuda._sleep(100_000_000)  # so that all that follows is enqueued before it starts
        capsule = x.__dlpack__(stream=consumer.cuda_stream, copy=True)
    with torch.cuda.stream(consumer):
        copy = torch.from_dlpack(capsule)
        found.copy_(copy[-1:], non_blocking=True)
    consumer.synchronize()
    value = found.item()
    torch.cuda.synchronize()
    assert copy[-1:].cpu().item() == 7.0  # when everything is done, the copy is right

    print("the copy", "has" if copy.data_ptr() == address else "has not", "the memory of the zeros")
    print("right:" if value == 7.0 else "WRONG:", "the consumer read", value, "and had to read 7.0")
    return 0 if value == 7.0 else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(2)
