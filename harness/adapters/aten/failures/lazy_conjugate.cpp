// SPDX-License-Identifier: Apache-2.0
//
// protocol.export.buffer-error (SHOULD): at::toDLPack exports a lazily conjugated tensor as the
// memory behind it. Prints the imaginary part that a consumer reads; -2 is right.
// (Tensor.__dlpack__ of PyTorch's Python layer refuses such tensors.)
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstdio>

int main() {
  const at::Tensor plain = at::complex(at::ones({1}), at::full({1}, 2.0));
  const at::Tensor conjugate = plain.conj();
  DLManagedTensor* const exported = at::toDLPack(conjugate);
  const float imaginary = static_cast<const float*>(exported->dl_tensor.data)[1];
  exported->deleter(exported);
  std::printf("imaginary part: expected -2 but found %g\n", static_cast<double>(imaginary));
  return imaginary == -2 ? 0 : 1;
}
