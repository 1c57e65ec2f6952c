// SPDX-License-Identifier: Apache-2.0
//
// Units of checks whose two sides are dlcert's own.
#pragma once

#include <cstdint>

#include <dlcert/suite/spy.hpp>

#include "worker/unit.hpp"

namespace dlcert::unit_run {

inline const Settings no_settings;

inline const Party& own_side() {
  static const Party party{spy_library(), "dlcert"};
  return party;
}

inline UnitRecord run(const Check& check, const Unit& unit) {
  const Binding binding{own_side(), own_side(), check.role, no_settings, {}, {}, {}, {}};
  Position position{};
  return run_unit(check, binding, unit, {.position = position});
}

inline UnitRecord run(void (*body)(Case&), std::uint64_t cases = 100) {
  return run(Check{.sentence = "it holds", .body = body}, Unit{.seed = 1, .cases = cases});
}

}  // namespace dlcert::unit_run
