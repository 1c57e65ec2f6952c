// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>

#include "dlcert/tensor/dtype.hpp"
#include "dlcert/tensor/layout.hpp"
#include "dlcert/tensor/managed.hpp"

namespace dlcert::reference {

/// A descriptor that passed validation, which stays where the producer put it.
struct ValidatedTensor {
  const DLTensor* tensor;
  Dtype dtype;
  std::uint64_t flags;
  Reach reach;
};

/// A borrowed tensor: a managed tensor that has been validated, and that is released when this
/// object dies. Costs no allocation; `Importer::share` makes a tensor of it. Move-only.
struct Imported {
  ValidatedTensor validated;
  UniqueManagedTensor managed;

  [[nodiscard]] bool is_read_only() const noexcept {
    return (validated.flags & flag_read_only) != 0;
  }
  /// True when the producer says that it made a copy for this import.
  [[nodiscard]] bool is_copied() const noexcept { return (validated.flags & flag_copied) != 0; }
};

}  // namespace dlcert::reference
