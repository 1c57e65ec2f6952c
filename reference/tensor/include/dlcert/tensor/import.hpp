// SPDX-License-Identifier: Apache-2.0
//
// The consumer's side: from a managed tensor, a capsule or a foreign object to a tensor.
//
// ImportSteps holds the single decisions, Importer their order, as in export.hpp. Nothing that
// arrives is trusted: what is malformed is refused by an Error.
//
// Who owns a bare managed tensor: the importer once the import has succeeded, the caller as long as
// it has not. The one exception is a foreign major version, where dlpack.h obliges the consumer to
// call the deleter. A capsule is consumed in exactly the cases in which the importer takes
// ownership.

#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "dlcert/tensor/borrowed_storage.hpp"
#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/import_steps.hpp"

namespace dlcert::reference {

[[noreturn]] void refuse_version(DLPackVersion version);

/// Imports tensors. Every function throws an Error or std::bad_alloc when it fails.
template <class Steps>
class Importer {
 public:
  /// `steps` outlives the importer.
  explicit constexpr Importer(const Steps& steps) noexcept : steps_(steps) {}

  // Validates without an allocation.
  [[nodiscard]] Imported borrow(DLManagedTensor* managed) const { return borrow_any(managed); }
  [[nodiscard]] Imported borrow(DLManagedTensorVersioned* managed) const {
    return borrow_any(managed);
  }
  [[nodiscard]] Imported borrow(Capsule& capsule) const {
    return consume(capsule, [this](auto* managed) { return this->borrow_any(managed); });
  }

  // As borrow(), and makes a tensor of what was borrowed.
  [[nodiscard]] Tensor import(DLManagedTensor* managed) const { return import_any(managed); }
  [[nodiscard]] Tensor import(DLManagedTensorVersioned* managed) const {
    return import_any(managed);
  }
  [[nodiscard]] Tensor import(Capsule& capsule) const {
    return consume(capsule, [this](auto* managed) { return this->import_any(managed); });
  }

  /// `from_dlpack`. Asks for the device first, so that nothing is exported that cannot be taken.
  /// Whatever the object exports is released exactly once, also on failure.
  [[nodiscard]] Tensor import(DlpackObject& object, const ImportRequest& request) const {
    const DLDevice source = steps_.device_of(object);
    steps_.check_target(source, request.device);
    Exported exported = exported_by(object, source, request);
    Imported imported = std::visit([this](auto& result) { return this->take(result); }, exported);
    const bool copy = steps_.needs_copy(request, imported);
    Tensor tensor = share(imported);
    return copy ? steps_.copy_of(tensor) : tensor;
  }

  /// Makes shared storage of a borrowed tensor, and a tensor over it: one allocation. When that
  /// throws std::bad_alloc, `imported` still owns the managed tensor.
  [[nodiscard]] Tensor share(Imported& imported) const {
    const ValidatedTensor& found = imported.validated;
    const DLTensor& descriptor = *found.tensor;
    const Access access = steps_.access_of(imported);
    const Region region = region_of(found);
    BorrowedStorage& storage =
        BorrowedStorage::make(region.data, region.bytes, steps_.memory_device(descriptor));
    Tensor tensor(StorageRef(&storage), steps_, found, region.offset, access);
    storage.own(std::move(imported.managed));  // nothing fails from here on
    return tensor;
  }

 private:
  /// The memory of all elements, and of what lies between them and the start that the producer
  /// gave.
  struct Region {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    std::int64_t offset = 0;  // of the first element, in bits
  };
  [[nodiscard]] Region region_of(const ValidatedTensor& found) const {
    const Reach& reach = found.reach;
    if (reach.empty) return {};
    const std::int64_t unit = found.dtype.stored_bits();
    std::byte* const first = steps_.first_element(*found.tensor);
    std::byte* const data = std::min(static_cast<std::byte*>(found.tensor->data),
                                     first + floor_bytes(reach.low * unit));
    return {data, first - data + ceil_bytes((reach.high + 1) * unit), 8 * (first - data)};
  }

  [[nodiscard]] Exported exported_by(DlpackObject& object, DLDevice source,
                                     const ImportRequest& request) const {
    const ExportRequest asked = steps_.request_for(source, request);
    try {
      return object.dlpack(asked);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::type) throw;
      const std::optional<ExportRequest> older = steps_.older_request_for(source, request);
      if (!older) throw;
      return object.dlpack(*older);
    }
  }

  static constexpr Form form(const DLManagedTensor*) noexcept { return Form::legacy; }
  static constexpr Form form(const DLManagedTensorVersioned*) noexcept { return Form::versioned; }
  static std::uint64_t flags(const DLManagedTensor*) noexcept { return 0; }
  static std::uint64_t flags(const DLManagedTensorVersioned* managed) noexcept {
    return managed->flags;
  }

  /// Takes the managed tensor from the caller, who has lost it when this throws.
  template <class Managed>
  [[nodiscard]] Imported take(Managed* managed) const {
    require_known_layout(managed);
    UniqueManagedTensor owned(managed, steps_.release_function(form(managed)));
    return {validate(managed->dl_tensor, flags(managed)), std::move(owned)};
  }
  [[nodiscard]] Imported take(Capsule& capsule) const { return borrow(capsule); }

  template <class Managed>
  [[nodiscard]] Imported borrow_any(Managed* managed) const {
    require_known_layout(managed);
    return {validate(managed->dl_tensor, flags(managed)),
            UniqueManagedTensor(managed, steps_.release_function(form(managed)))};
  }

  template <class Managed>
  [[nodiscard]] Tensor import_any(Managed* managed) const {
    Imported imported = borrow_any(managed);
    try {
      return share(imported);
    } catch (...) {
      imported.managed.give_up();  // it is the caller's again
      throw;
    }
  }

  template <class Take>
  [[nodiscard]] auto consume(Capsule& capsule, Take take_managed) const {
    if (steps_.form_of(capsule) == Form::legacy) {
      auto* const managed = static_cast<DLManagedTensor*>(capsule.pointer(capsule.name()));
      auto taken = take_managed(managed);
      steps_.mark_used(capsule, Form::legacy);
      return taken;
    }
    auto* const managed = static_cast<DLManagedTensorVersioned*>(capsule.pointer(capsule.name()));
    if (!steps_.knows_layout_of(managed->version)) steps_.mark_used(capsule, Form::versioned);
    auto taken = take_managed(managed);
    steps_.mark_used(capsule, Form::versioned);
    return taken;
  }

  void require_known_layout(const DLManagedTensor*) const noexcept {}
  void require_known_layout(DLManagedTensorVersioned* managed) const {
    if (steps_.knows_layout_of(managed->version)) [[likely]]
      return;
    const DLPackVersion version = managed->version;
    steps_.release_function(Form::versioned)(managed);
    refuse_version(version);
  }

  [[nodiscard]] ValidatedTensor validate(const DLTensor& tensor, std::uint64_t flags) const {
    steps_.check_flags(flags);
    steps_.check_device(tensor.device);
    const Dtype dtype = steps_.dtype_of(tensor.dtype, flags);
    steps_.check_rank(tensor.ndim);
    steps_.check_shape(tensor);
    const Reach reach = steps_.reach_of(tensor);
    if (!steps_.is_plain(tensor, reach)) [[unlikely]]
      check_geometry(tensor, reach, dtype);
    steps_.check_memory(tensor);
    return {&tensor, dtype, flags, reach};
  }

  /// Out of line, and by value, so that a plain tensor's import keeps what it found in registers.
  [[gnu::cold, gnu::noinline]] void check_geometry(const DLTensor& tensor, Reach reach,
                                                   Dtype dtype) const {
    steps_.check_extents(tensor, reach);
    steps_.check_data(tensor, reach);
    steps_.check_addresses(tensor, reach, dtype);
  }

  const Steps& steps_;
};

inline constexpr ImportSteps import_steps{};
inline constexpr Importer<ImportSteps> importer{import_steps};

}  // namespace dlcert::reference
