// SPDX-License-Identifier: Apache-2.0
//
// The two forms of a managed tensor, and what they have in common.

#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>
#include <utility>
#include <variant>

namespace dlcert::reference {

/// The DLPack version that this library implements.
inline constexpr DLPackVersion own_version{1, 3};

enum class Form : std::uint8_t { legacy, versioned };

/// A managed tensor of either form. Says nothing of who owns it.
using ManagedTensor = std::variant<DLManagedTensor*, DLManagedTensorVersioned*>;

inline constexpr std::uint64_t flag_read_only = DLPACK_FLAG_BITMASK_READ_ONLY;
inline constexpr std::uint64_t flag_copied = DLPACK_FLAG_BITMASK_IS_COPIED;
inline constexpr std::uint64_t flag_padded = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
inline constexpr std::uint64_t known_flags = flag_read_only | flag_copied | flag_padded;

/// Calls the deleter of a managed tensor, unless the producer gave it none.
template <class Managed>
void call_deleter(Managed* managed) noexcept {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

/// How a consumer gives a managed tensor back to its producer.
using ReleaseFunction = void (*)(void* managed) noexcept;

/// The ReleaseFunction of a `Managed` that calls its deleter.
template <class Managed>
void release_by_deleter(void* managed) noexcept {
  call_deleter(static_cast<Managed*>(managed));
}

/// Owns a managed tensor, and releases it exactly once: in the destructor. Move-only.
class UniqueManagedTensor {
 public:
  UniqueManagedTensor() noexcept = default;
  UniqueManagedTensor(void* managed, ReleaseFunction release) noexcept
      : managed_(managed), release_(release) {}
  UniqueManagedTensor(UniqueManagedTensor&& other) noexcept
      : managed_(std::exchange(other.managed_, nullptr)), release_(other.release_) {}
  UniqueManagedTensor& operator=(UniqueManagedTensor&& other) noexcept {
    std::swap(managed_, other.managed_);
    std::swap(release_, other.release_);
    return *this;
  }
  UniqueManagedTensor(const UniqueManagedTensor&) = delete;
  UniqueManagedTensor& operator=(const UniqueManagedTensor&) = delete;
  ~UniqueManagedTensor() {
    if (managed_ != nullptr) release_(managed_);
  }

  /// Leaves the managed tensor, and its release, to the caller.
  void give_up() noexcept { managed_ = nullptr; }

 private:
  void* managed_ = nullptr;
  ReleaseFunction release_ = nullptr;
};

}  // namespace dlcert::reference
