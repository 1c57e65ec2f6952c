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

/// Ends the loan of a managed tensor by its deleter, unless the producer gave it none.
template <class Managed>
void call_deleter(Managed* managed) noexcept {
  if (managed->deleter != nullptr) managed->deleter(managed);
}

/// Owns a managed tensor and ends the loan when it dies, exactly once. Move-only.
class Loan {
 public:
  /// How the loan ends: a function that is given the managed tensor.
  using End = void (*)(void* managed) noexcept;

  /// Calls the deleter of a `Managed`.
  template <class Managed>
  static void end_by_deleter(void* managed) noexcept {
    call_deleter(static_cast<Managed*>(managed));
  }

  Loan() noexcept = default;
  Loan(void* managed, End end) noexcept : managed_(managed), end_(end) {}
  Loan(Loan&& other) noexcept
      : managed_(std::exchange(other.managed_, nullptr)), end_(other.end_) {}
  Loan& operator=(Loan&& other) noexcept {
    std::swap(managed_, other.managed_);
    std::swap(end_, other.end_);
    return *this;
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (managed_ != nullptr) end_(managed_);
  }

  /// Somebody else ends the loan.
  void give_up() noexcept { managed_ = nullptr; }

 private:
  void* managed_ = nullptr;
  End end_ = nullptr;
};

}  // namespace dlcert::reference
