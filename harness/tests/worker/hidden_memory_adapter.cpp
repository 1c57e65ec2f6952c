// SPDX-License-Identifier: Apache-2.0
//
// A producer that claims memory of CUDA, which dlcert's driver knows nothing of.
#include <array>
#include <cstddef>
#include <span>

#include <dlcert/adapter.hpp>

namespace {

struct HiddenMemory {
  struct Tensor {
    std::array<std::byte, 64> memory{};
    std::array<std::int64_t, 1> shape{};
    dlcert_dtype dtype{};
  };

  const char* name() { return "hidden_memory"; }
  const char* version() { return "1"; }
  bool can(const dlcert_tensor_spec& spec) {
    return spec.device.type == 2 && spec.ndim == 1 && spec.shape[0] < 5 && spec.flags == 0;
  }
  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte>) {
    return {{}, {spec.shape[0]}, spec.dtype};
  }
  dlcert_description describe(Tensor& tensor) {
    dlcert_description said{};
    said.dtype = tensor.dtype;
    said.device = {2, 0};
    said.ndim = 1;
    said.shape = tensor.shape.data();
    said.data = tensor.memory.data();
    return said;
  }
  dlcert_managed export_managed(Tensor&, const dlcert_request&) {
    throw dlcert::adapter::NotFormable{};
  }
};

}  // namespace

DLCERT_ADAPTER(HiddenMemory)
