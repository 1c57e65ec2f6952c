// SPDX-License-Identifier: Apache-2.0
//
// The producer's side: from a tensor to a managed tensor or a capsule.
//
// ExportSteps holds the single decisions; Exporter is the one order in which they are taken. The
// order is a template over the steps, so that a type with other steps of the same names follows the
// same order.

#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <variant>

#include "dlcert/tensor/export_steps.hpp"

namespace dlcert::reference {

/// Exports tensors. Every function either returns what the caller then owns, or throws and keeps
/// nothing: an Error, or std::bad_alloc.
template <class Steps>
class Exporter {
 public:
  /// `steps` outlives the exporter.
  explicit constexpr Exporter(const Steps& steps) noexcept : steps_(steps) {}

  /// Shares the tensor as it is. `copied` says that it was made for this export.
  [[nodiscard]] DLManagedTensor* legacy(const Tensor& tensor) const {
    check(tensor, Form::legacy);
    return make<DLManagedTensor>(tensor, [&](std::int64_t* dims) {
      return DLManagedTensor{.dl_tensor = steps_.describe(tensor, dims),
                             .manager_ctx = &tensor.storage(),
                             .deleter = steps_.legacy_deleter()};
    });
  }
  [[nodiscard]] DLManagedTensorVersioned* versioned(const Tensor& tensor,
                                                    bool copied = false) const {
    check(tensor, Form::versioned);
    return make<DLManagedTensorVersioned>(tensor, [&](std::int64_t* dims) {
      return DLManagedTensorVersioned{.version = steps_.version(),
                                      .manager_ctx = &tensor.storage(),
                                      .deleter = steps_.versioned_deleter(),
                                      .flags = steps_.flags_of(tensor, copied),
                                      .dl_tensor = steps_.describe(tensor, dims)};
    });
  }

  /// `__dlpack__` without the capsule around it.
  [[nodiscard]] ManagedTensor managed(const Tensor& tensor, const ExportRequest& request) const {
    steps_.check_stream(request.stream);
    steps_.check_device(tensor, steps_.device(request.dl_device));
    const Form form = steps_.choose_form(steps_.max_version(request.max_version));
    if (steps_.copy(request.copy).value_or(false))
      return in_form(form, steps_.copy_of(tensor), true);
    return in_form(form, tensor, false);
  }

  /// `__dlpack__`.
  [[nodiscard]] Capsule capsule(const Tensor& tensor, const ExportRequest& request) const {
    return std::visit([this](auto* managed) { return this->around(managed); },
                      managed(tensor, request));
  }

 private:
  void check(const Tensor& tensor, Form form) const {
    steps_.check_dtype(tensor);
    steps_.check_strides(tensor);
    steps_.check_first_element(tensor);
    steps_.check_expressible(tensor, form);
  }

  /// Nothing can fail once the block is there. `fill` returns into the block: a copy would be
  /// waited for.
  template <class Managed, class Fill>
  [[nodiscard]] Managed* make(const Tensor& tensor, Fill fill) const {
    using Block = ManagedBlock<Managed>;
    const std::size_t bytes = Block::bytes_for(tensor.rank());
    void* const room = steps_.allocate_block(tensor, bytes);
    auto* const block = ::new (room) Block{fill(Block::dims(room)), bytes};
    steps_.retain(tensor);
    return &block->managed;
  }

  [[nodiscard]] ManagedTensor in_form(Form form, const Tensor& tensor, bool copied) const {
    if (form == Form::legacy) return legacy(tensor);
    return versioned(tensor, copied);
  }

  [[nodiscard]] Capsule around(DLManagedTensor* managed) const {
    return around(managed, Form::legacy);
  }
  [[nodiscard]] Capsule around(DLManagedTensorVersioned* managed) const {
    return around(managed, Form::versioned);
  }
  [[nodiscard]] Capsule around(void* managed, Form form) const {
    return Capsule(managed, steps_.capsule_name(form), steps_.capsule_destructor(form));
  }

  const Steps& steps_;
};

inline constexpr ExportSteps export_steps{};
inline constexpr Exporter<ExportSteps> exporter{export_steps};

}  // namespace dlcert::reference
