// SPDX-License-Identifier: Apache-2.0
//
// abi.robust.malformed-descriptor (SHOULD): at::fromDLPack reads through a null shape. With an
// argument: a rank of -1.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>

int main(int argc, char**) {
  float elements[] = {1, 2};
  std::int64_t shape[] = {2};
  std::int64_t strides[] = {1};
  const bool negative_rank = argc > 1;
  DLManagedTensor tensor{};
  tensor.dl_tensor.data = elements;
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.ndim = negative_rank ? -1 : 1;
  tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
  tensor.dl_tensor.shape = negative_rank ? shape : nullptr;
  tensor.dl_tensor.strides = strides;
  try {
    const at::Tensor imported = at::fromDLPack(&tensor);
  } catch (const std::exception&) {
    std::printf("refused by an exception, as it should be\n");
    return 0;
  }
  return 1;
}
