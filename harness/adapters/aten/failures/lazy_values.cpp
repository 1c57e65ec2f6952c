// SPDX-License-Identifier: Apache-2.0
//
// protocol.export.values (MUST): at::toDLPack exports lazily conjugated and lazily negated tensors
// as the memory behind them. Prints what a consumer reads where -2 and -3 are right.
// (Tensor.__dlpack__ of PyTorch's Python layer refuses such tensors.)
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <cstddef>
#include <cstdio>

namespace {

// A number that a consumer reads of the tensor's export.
float exported_number(const at::Tensor& tensor, std::size_t index) {
  DLManagedTensor* const exported = at::toDLPack(tensor);
  const float number = static_cast<const float*>(exported->dl_tensor.data)[index];
  exported->deleter(exported);
  return number;
}

}  // namespace

int main() {
  const at::Tensor complex = at::complex(at::ones({1}), at::full({1}, 2.0));
  const float imaginary = exported_number(complex.conj(), 1);
  const float number = exported_number(at::_neg_view(at::full({1}, 3.0)), 0);
  std::printf("imaginary part: expected -2 but found %g\n", static_cast<double>(imaginary));
  std::printf("number: expected -3 but found %g\n", static_cast<double>(number));
  return imaginary == -2 && number == -3 ? 0 : 1;
}
