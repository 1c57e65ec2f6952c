// SPDX-License-Identifier: Apache-2.0
//
// lifetime.failed-import.single-release (MUST): a tensor that at::fromDLPack refuses for its dtype
// stays with the caller; one that it refuses for OpenCL's device it has released. A caller that
// releases what was refused, as the first needs it, releases the second twice.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>
#include <exception>

namespace {

int deleter_calls = 0;

// Imports an element and releases it when it is refused.
void import(DLDevice device, DLDataType dtype) {
  float element = 1;
  std::int64_t shape[] = {1};
  std::int64_t strides[] = {1};
  DLManagedTensor tensor{};
  tensor.dl_tensor.data = &element;
  tensor.dl_tensor.device = device;
  tensor.dl_tensor.ndim = 1;
  tensor.dl_tensor.dtype = dtype;
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  tensor.deleter = [](DLManagedTensor*) { ++deleter_calls; };
  deleter_calls = 0;
  try {
    at::fromDLPack(&tensor);
  } catch (const std::exception&) {
    std::printf("refused, ");
    tensor.deleter(&tensor);
  }
}

}  // namespace

int main() {
  import({kDLCPU, 0}, {200, 8, 1});
  std::printf("for its dtype: deleter calls: expected 1 and found %d\n", deleter_calls);
  import({kDLOpenCL, 0}, {kDLFloat, 32, 1});
  std::printf("for its device: deleter calls: expected 1 but found %d\n", deleter_calls);
  return deleter_calls == 1 ? 0 : 1;
}
