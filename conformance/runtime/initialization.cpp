// SPDX-License-Identifier: Apache-2.0
//
// When the runtime of a vendor is touched.
#include "generators/surroundings.hpp"
#include "runtime/families.hpp"

namespace dlcert::runtime {

namespace {

void loading_touches_nothing(Case& c) {
  Arranged arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  expect_equal("is_initialized before", false, require(runtime.is_initialized(), "is_initialized"));
  expect_equal("calls of the driver before initialization", std::size_t{0},
               arranged.runtime_calls().size());
  require(runtime.initialize(), "initialize");
  expect_equal("is_initialized after", true, require(runtime.is_initialized(), "is_initialized"));
  expect(!arranged.runtime_calls().empty(), "initialize made no call of the driver");
}

}  // namespace

void register_initialization_checks(Suite& suite) {
  suite.add({.requirement = "runtime.init.lazy",
             .sentence = "nothing is initialized before something needs it",
             .role = Role::runtime,
             .needs = static_cast<Needs>(Can::runtime),
             .rows = 1,
             .isolation = Isolation::process_per_case,
             .platform = Platform::cuda,
             .body = loading_touches_nothing});
}

}  // namespace dlcert::runtime
