// SPDX-License-Identifier: Apache-2.0
//
// abi.data.byte-offset-applied (MUST): at::fromDLPack ignores byte_offset. Prints the element that
// ATen reads; 2 is right.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>

int main() {
  float elements[] = {1, 2};
  DLManagedTensor tensor{};
  tensor.dl_tensor.data = elements;
  tensor.dl_tensor.byte_offset = sizeof(float);
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
  const at::Tensor imported = at::fromDLPack(&tensor);
  const float found = imported.item<float>();
  std::printf("element: expected 2 but found %g\n", static_cast<double>(found));
  return found == 2 ? 0 : 1;
}
