// SPDX-License-Identifier: Apache-2.0
//
// What at::fromDLPack should refuse by an exception (SHOULD), and does not:
//   negative-stride  abi.strides.negative: it throws in a function that is noexcept
//   overflow         abi.shape.overflow-rejected: extents whose product overflows; the same
//   null-shape       abi.robust.malformed-descriptor: it reads through the pointer
//   negative-rank    the same requirement
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  float elements[] = {1, 2};
  std::int64_t shape[] = {2, 1};
  std::int64_t strides[] = {1, 1};
  DLManagedTensor tensor{};
  tensor.dl_tensor.data = elements;
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.ndim = 2;
  tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  if (what == "negative-stride") {
    tensor.dl_tensor.data = elements + 1;
    strides[0] = -1;
  } else if (what == "overflow") {
    shape[0] = shape[1] = strides[0] = std::int64_t{1} << 40;
  } else if (what == "null-shape") {
    tensor.dl_tensor.shape = nullptr;
  } else if (what == "negative-rank") {
    tensor.dl_tensor.ndim = -1;
  } else {
    std::fprintf(stderr, "expected negative-stride, overflow, null-shape or negative-rank\n");
    return 2;
  }
  try {
    const at::Tensor imported = at::fromDLPack(&tensor);
  } catch (const std::exception&) {
    std::printf("refused by an exception, as it should be\n");
    return 0;
  }
  return 1;
}
