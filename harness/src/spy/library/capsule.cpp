// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "spy/capsules.hpp"
#include "spy/library/library.hpp"

namespace dlcert::spy {

bool SpyCapsule::named(const char* other) const {
  if (name == nullptr || other == nullptr) return name == other;
  return std::strcmp(name, other) == 0;
}

SpyCapsule* in_capsule(dlcert_managed managed) {
  const Form form = managed.form == DLCERT_LEGACY ? Form::legacy : Form::versioned;
  return new SpyCapsule{managed.pointer, live_name(form), &release_unless_used};
}

}  // namespace dlcert::spy
