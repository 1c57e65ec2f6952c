// SPDX-License-Identifier: Apache-2.0
#include "spy/capsules.hpp"

#include <cstring>

namespace dlcert {

namespace {

template <typename ManagedTensor>
void call_deleter(void* pointer) {
  auto* const managed = static_cast<ManagedTensor*>(pointer);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

bool named(const char* name, const char* expected) {
  return name != nullptr && std::strcmp(name, expected) == 0;
}

}  // namespace

const char* live_name(Form form) {
  return form == Form::legacy ? "dltensor" : "dltensor_versioned";
}

const char* used_name(Form form) {
  return form == Form::legacy ? "used_dltensor" : "used_dltensor_versioned";
}

void release_unless_used(void* pointer, const char* name) {
  if (named(name, live_name(Form::legacy))) call_deleter<DLManagedTensor>(pointer);
  if (named(name, live_name(Form::versioned))) call_deleter<DLManagedTensorVersioned>(pointer);
}

Outcome<Capsule> live_capsule(const Party& library, const Offer& offer) {
  return library.make_capsule(offer.managed().pointer, live_name(offer.descriptor().form),
                              &release_unless_used);
}

Outcome<Capsule> used_capsule(const Party& library, const Offer& offer) {
  return library.make_capsule(offer.managed().pointer, used_name(offer.descriptor().form),
                              &release_unless_used);
}

}  // namespace dlcert
