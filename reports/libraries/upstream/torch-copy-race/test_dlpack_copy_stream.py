# Owner(s): ["module: tests"]
# To be added to TestTorchDlPack in test/test_dlpack.py, beside
# test_dlpack_conversion_with_diff_streams.

import torch
from torch.testing._internal.common_device_type import (
    instantiate_device_type_tests,
    onlyCUDA,
    skipMeta,
)
from torch.testing._internal.common_utils import run_tests, TestCase


class TestTorchDlPackCopy(TestCase):
    @skipMeta
    @onlyCUDA
    def test_dlpack_copy_is_ordered_on_consumer_stream(self, device):
        numel = 1 << 24
        x = torch.full((numel,), 7.0).to(device)
        result = torch.full((1,), -1.0).pin_memory()
        stream_a = torch.cuda.Stream()
        stream_b = torch.cuda.Stream()
        with torch.cuda.stream(stream_a):
            # The caching allocator hands this block out again for the copy.
            block = torch.zeros(numel).to(device)
            del block
        torch.cuda.synchronize()

        with torch.cuda.stream(stream_a):
            # Everything below is enqueued before stream_a goes on.
            torch.cuda._sleep(100_000_000)
            capsule = x.__dlpack__(stream=stream_b.cuda_stream, copy=True)
        with torch.cuda.stream(stream_b):
            y = torch.from_dlpack(capsule)
            result.copy_(y[-1:], non_blocking=True)
        stream_b.synchronize()

        self.assertEqual(result.item(), 7.0)
        torch.cuda.synchronize()


instantiate_device_type_tests(TestTorchDlPackCopy, globals(), only_for=("cuda",))

if __name__ == "__main__":
    run_tests()
