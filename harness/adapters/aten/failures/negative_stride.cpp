// SPDX-License-Identifier: Apache-2.0
//
// abi.strides.negative (SHOULD): at::fromDLPack ends the process on a negative stride, where it
// should throw: the error is raised in a function that is noexcept. The same happens on extents
// whose product overflows (abi.shape.overflow-rejected): run it with an argument.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>

int main(int argc, char**) {
  float elements[] = {1, 2};
  const bool overflow = argc > 1;
  const std::int64_t huge = std::int64_t{1} << 40;
  std::int64_t shape[] = {overflow ? huge : 2, overflow ? huge : 1};
  std::int64_t strides[] = {overflow ? huge : -1, 1};
  DLManagedTensor tensor{};
  tensor.dl_tensor.data = elements + 1;
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.ndim = 2;
  tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  try {
    const at::Tensor imported = at::fromDLPack(&tensor);
  } catch (const std::exception&) {
    std::printf("refused by an exception, as it should be\n");
    return 0;
  }
  return 1;
}
