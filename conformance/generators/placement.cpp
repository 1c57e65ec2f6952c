// SPDX-License-Identifier: Apache-2.0
#include "generators/placement.hpp"

#include <dlcert/suite/dlpack.hpp>
#include <dlcert/suite/spec.hpp>

namespace dlcert {

namespace {

constexpr dlcert_device host{kDLCPU, 0};
constinit dlcert_device current = host;

}  // namespace

Placement::Placement(dlcert_device device) {
  current = device;
}

Placement::~Placement() {
  current = host;
}

dlcert_device place() {
  return current;
}

bool placed_on_a_device() {
  return !(current == host);
}

}  // namespace dlcert
