// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <vector>

#include "dlcert/tensor/managed.hpp"

namespace dlcert::reference {

/// A managed tensor of somebody else, over six 16-bit integers 0 to 5, that counts how often it is
/// released. Every field may be spoilt before it is offered.
template <class Managed>
struct ForeignTensor {
  std::vector<std::int16_t> values{0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> shape{2, 3};
  std::vector<std::int64_t> strides{3, 1};
  int releases = 0;
  Managed managed{};

  ForeignTensor() {
    if constexpr (requires { managed.version; }) managed.version = own_version;
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) {
      auto* const foreign = static_cast<ForeignTensor*>(self->manager_ctx);
      foreign->releases += self == &foreign->managed ? 1 : 1000;
    };
    tensor() = {values.data(), {kDLCPU, 0}, 2, {kDLInt, 16, 1}, shape.data(), strides.data(), 0};
  }
  ForeignTensor(const ForeignTensor&) = delete;
  ForeignTensor& operator=(const ForeignTensor&) = delete;
  ~ForeignTensor() = default;

  DLTensor& tensor() { return managed.dl_tensor; }
};

using ForeignLegacy = ForeignTensor<DLManagedTensor>;
using ForeignVersioned = ForeignTensor<DLManagedTensorVersioned>;

}  // namespace dlcert::reference
