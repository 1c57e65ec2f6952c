// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "dlcert/tensor/managed.hpp"

namespace dlcert::reference {

/// The names that carry meaning between producer and consumer. They live as long as the process.
namespace capsule_name {
inline constexpr char legacy[] = "dltensor";
inline constexpr char versioned[] = "dltensor_versioned";
inline constexpr char used_legacy[] = "used_dltensor";
inline constexpr char used_versioned[] = "used_dltensor_versioned";
}  // namespace capsule_name

/// A carrier of one pointer with the rules of a PyCapsule: the pointer is given out only to those
/// who know the exact name, and a destructor runs when the capsule dies. Move-only; the name is not
/// copied.
class Capsule {
 public:
  /// Sees the dying capsule with the name that it has then. Must not throw.
  using Destructor = void (*)(Capsule& capsule) noexcept;

  /// `name` may be NULL and otherwise outlives the capsule; `destroy` may be NULL. Throws a
  /// value error for a NULL pointer, and then the destructor does not run.
  Capsule(void* pointer, const char* name, Destructor destroy);
  Capsule(Capsule&& other) noexcept;
  Capsule& operator=(Capsule&& other) noexcept;
  Capsule(const Capsule&) = delete;
  Capsule& operator=(const Capsule&) = delete;
  ~Capsule();

  [[nodiscard]] const char* name() const noexcept { return name_; }
  void set_name(const char* name) noexcept { name_ = name; }
  [[nodiscard]] Destructor destructor() const noexcept { return destructor_; }
  void set_destructor(Destructor destroy) noexcept { destructor_ = destroy; }
  /// A second pointer, for use by the destructor; NULL at first.
  [[nodiscard]] void* context() const noexcept { return context_; }
  void set_context(void* context) noexcept { context_ = context; }

  /// True when the present name equals `name`. NULL equals NULL only.
  [[nodiscard]] bool is_named(const char* name) const noexcept;
  /// The pointer, or NULL when the capsule is not named `name`.
  [[nodiscard]] void* pointer(const char* name) const noexcept;

 private:
  void* pointer_;
  const char* name_;
  Destructor destructor_;
  void* context_ = nullptr;
};

/// The destructor of a capsule around a managed tensor: calls its deleter unless the capsule was
/// consumed. Under any other name than the live one of the form it does nothing.
void release_unconsumed_legacy(Capsule& capsule) noexcept;
void release_unconsumed_versioned(Capsule& capsule) noexcept;

}  // namespace dlcert::reference
