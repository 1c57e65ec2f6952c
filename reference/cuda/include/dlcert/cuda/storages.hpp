// SPDX-License-Identifier: Apache-2.0
//
// The legacy storage classes of GPU memory. Source: torch 2.4, torch/cuda/__init__.py,
// _CudaLegacyStorage and the classes derived from it.

#pragma once

#include <span>
#include <string_view>

#include "dlcert/cuda/enumeration.hpp"

namespace dlcert::cuda {

struct StorageClass {
  std::string_view name;   ///< "ByteStorage"
  std::string_view dtype;  ///< "uint8"
};

/// The twelve, as they are registered. Static storage.
[[nodiscard]] std::span<const StorageClass> storage_classes() noexcept;

/// What can be asked of the classes. A name that is none of the twelve is a ValueError.
class Storages {
 public:
  /// Warnings that storages of one type will be removed go to `warn`.
  explicit Storages(WarningSink warn);
  Storages(const Storages&) = delete;
  Storages& operator=(const Storages&) = delete;
  virtual ~Storages();

  /// The public attribute, which warns, and the private one, which does not (_dtype).
  [[nodiscard]] virtual std::string_view dtype(std::string_view name) const;
  [[nodiscard]] std::string_view private_dtype(std::string_view name) const;

  /// GPU memory cannot be made of these: each throws a RuntimeError, the first after the warning.
  [[noreturn]] virtual void from_buffer(std::string_view name) const;
  [[noreturn]] virtual void from_weak_pointer(std::string_view name) const;
  [[noreturn]] virtual void from_shared_file_name(std::string_view name) const;

 protected:
  void warn_of_removal() const;

 private:
  WarningSink warn_;
};

}  // namespace dlcert::cuda
