// SPDX-License-Identifier: Apache-2.0
//
// Capsules around managed tensors, as every Python library makes them.
#pragma once

#include <dlcert/suite/spy.hpp>

namespace dlcert {

// A capsule destructor that gives the tensor back unless it was consumed. It reads the struct only
// under a live name.
void release_unless_used(void* pointer, const char* name);

// A capsule of `library`'s own kind that carries the offer.
Outcome<Capsule> live_capsule(const Party& library, const Offer& offer);
// Likewise, under the name of one that was consumed.
Outcome<Capsule> used_capsule(const Party& library, const Offer& offer);

}  // namespace dlcert
