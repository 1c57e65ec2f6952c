// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/capsule.hpp"

#include <cstring>
#include <utility>

#include "refuse.hpp"

namespace dlcert::reference {

Capsule::Capsule(void* pointer, const char* name, Destructor destroy)
    : pointer_(pointer), name_(name), destructor_(destroy) {
  if (pointer == nullptr) refuse_as(ErrorKind::value, "expected a pointer but found NULL");
}

Capsule::Capsule(Capsule&& other) noexcept
    : pointer_(std::exchange(other.pointer_, nullptr)),
      name_(std::exchange(other.name_, nullptr)),
      destructor_(std::exchange(other.destructor_, nullptr)),
      context_(std::exchange(other.context_, nullptr)) {}

Capsule& Capsule::operator=(Capsule&& other) noexcept {
  std::swap(pointer_, other.pointer_);
  std::swap(name_, other.name_);
  std::swap(destructor_, other.destructor_);
  std::swap(context_, other.context_);
  return *this;
}

Capsule::~Capsule() {
  if (destructor_ != nullptr) destructor_(*this);
}

bool Capsule::is_named(const char* name) const noexcept {
  if (name == nullptr || name_ == nullptr) return name == name_;
  return std::strcmp(name, name_) == 0;
}

void* Capsule::pointer(const char* name) const noexcept {
  return is_named(name) ? pointer_ : nullptr;
}

namespace {

template <class Managed>
void release_if_live(const Capsule& capsule, const char* live_name) noexcept {
  if (void* const managed = capsule.pointer(live_name)) {
    call_deleter(static_cast<Managed*>(managed));
  }
}

}  // namespace

void release_unconsumed_legacy(Capsule& capsule) noexcept {
  release_if_live<DLManagedTensor>(capsule, capsule_name::legacy);
}

void release_unconsumed_versioned(Capsule& capsule) noexcept {
  release_if_live<DLManagedTensorVersioned>(capsule, capsule_name::versioned);
}

}  // namespace dlcert::reference
