// SPDX-License-Identifier: Apache-2.0
//
// lifetime.deleter.bare-called (SHOULD): at::fromDLPack accepts a tensor without elements and with
// null data, as it should, and then never calls its deleter. Prints the number of calls; 1 is
// right.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>

namespace {
int deleter_calls = 0;
}

int main() {
  std::int64_t shape[] = {0};
  std::int64_t strides[] = {1};
  DLManagedTensor tensor{};
  tensor.dl_tensor.device = {kDLCPU, 0};
  tensor.dl_tensor.ndim = 1;
  tensor.dl_tensor.dtype = {kDLFloat, 32, 1};
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  tensor.deleter = [](DLManagedTensor*) { ++deleter_calls; };
  { const at::Tensor imported = at::fromDLPack(&tensor); }
  std::printf("deleter calls: expected 1 but found %d\n", deleter_calls);
  return deleter_calls == 1 ? 0 : 1;
}
