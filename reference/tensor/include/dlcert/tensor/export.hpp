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
#include <optional>
#include <utility>
#include <variant>

#include "dlcert/tensor/describe.hpp"
#include "dlcert/tensor/export_steps.hpp"
#include "dlcert/tensor/streams.hpp"

namespace dlcert::reference {

[[noreturn]] void refuse_sharing(const Tensor& tensor);

/// Exports tensors. Every function either returns what the caller then owns, or throws and keeps
/// nothing: an Error, or std::bad_alloc.
template <class Steps>
class Exporter {
 public:
  /// `steps` outlives the exporter.
  explicit constexpr Exporter(const Steps& steps) noexcept : steps_(steps) {}

  /// Throws a buffer error for what no descriptor can say.
  void check(const Tensor& tensor) const {
    steps_.check_dtype(tensor);
    steps_.check_strides(tensor);
    steps_.check_first_element(tensor);
  }

  /// Shares the tensor as it is. `copied` says that it was made for this export.
  [[nodiscard]] DLManagedTensor* legacy(const Tensor& tensor) const {
    check(tensor, Form::legacy);
    return make<DLManagedTensor>(tensor, [&](std::int64_t* dims) {
      return DLManagedTensor{.dl_tensor = describe_tensor(steps_, tensor, dims),
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
                                      .dl_tensor = describe_tensor(steps_, tensor, dims)};
    });
  }

  /// `__dlpack__` without the capsule around it.
  [[nodiscard]] ManagedTensor managed(const Tensor& tensor, const ExportRequest& request) const {
    const std::optional<DLDevice> requested = steps_.device(request.dl_device);
    steps_.check_device(tensor, requested);
    const DLDevice target = requested.value_or(tensor.device());
    const Ordering ordering = steps_.ordering_of(target, request.stream);
    const Form form = steps_.choose_form(steps_.max_version(request.max_version));
    const std::optional<bool> copy = steps_.copy(request.copy);
    if (!same_device(target, tensor.device())) [[unlikely]]
      return to_host(form, tensor, copy);
    if (copy.value_or(false)) return in_form(form, copied(tensor, ordering), true);
    if (ordering.of != Ordering::Of::nothing) [[unlikely]]
      order(tensor, ordering);
    return in_form(form, tensor, false);
  }

  /// `__dlpack__`.
  [[nodiscard]] Capsule capsule(const Tensor& tensor, const ExportRequest& request) const {
    return std::visit([this](auto* managed) { return this->around(managed); },
                      managed(tensor, request));
  }

 private:
  void check(const Tensor& tensor, Form form) const {
    check(tensor);
    steps_.check_expressible(tensor, form);
  }

  /// Nothing can fail once the block is there. `fill` returns into the block: a copy would be
  /// waited for.
  template <class Managed, class Fill>
  [[nodiscard]] Managed* make(const Tensor& tensor, Fill fill) const {
    using Block = ManagedBlock<Managed>;
    const std::size_t bytes = Block::bytes_for(tensor.rank());
    void* const room = steps_.allocate_block(tensor, bytes);
    steps_.retain(tensor);
    auto* const block = ::new (room) Block{fill(Block::dims(room)), bytes};
    return &block->managed;
  }

  /// The data is complete when the copy is there.
  [[nodiscard]] ManagedTensor to_host(Form form, const Tensor& tensor,
                                      std::optional<bool> copy) const {
    if (copy && !*copy) refuse_sharing(tensor);
    if (is_copied_by_host(tensor)) steps_.wait_on_host(tensor);
    return in_form(form, steps_.host_copy_of(tensor), true);
  }

  /// The stream of the consumer makes the copy, where there is one. Behind an export the producer's
  /// current stream may overwrite the tensor.
  [[nodiscard]] Tensor copied(const Tensor& tensor, const Ordering& ordering) const {
    if (ordering.of == Ordering::Of::stream) return copied_by(ordering.stream, tensor);
    const bool on_host = is_copied_by_host(tensor);
    const bool complete = ordering.of == Ordering::Of::host;
    if (on_host || complete) steps_.wait_on_host(tensor);
    Tensor copy = steps_.copy_of(tensor);
    if (complete && !on_host) steps_.wait_on_host(copy);
    return copy;
  }
  [[nodiscard]] Tensor copied_by(Stream consumer, const Tensor& tensor) const {
    const Stream producer = steps_.producer_stream(tensor);
    order(tensor, producer, consumer);
    const StreamGuard guard(ordinal_of(tensor.device()), consumer);
    Tensor copy = steps_.copy_of(tensor);
    order(tensor, consumer, producer);
    return copy;
  }

  /// The host copies pinned memory, and no wait of a stream holds it up.
  static bool is_copied_by_host(const Tensor& tensor) noexcept {
    return !same_device(tensor.device(), cpu_device) && tensor.is_on_host();
  }

  void order(const Tensor& tensor, Stream earlier, Stream later) const {
    if (!steps_.same_stream(earlier, later)) steps_.make_wait(tensor, earlier, later);
  }
  void order(const Tensor& tensor, const Ordering& ordering) const {
    if (ordering.of == Ordering::Of::host)
      steps_.wait_on_host(tensor);
    else
      order(tensor, steps_.producer_stream(tensor), ordering.stream);
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
