// SPDX-License-Identifier: Apache-2.0
//
// Seeds that wait for initialization: the latest of each kind, behind everything else.
#include <algorithm>
#include <array>

#include "registration.hpp"
#include "runtime/calls.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(seeding)

namespace {

using testbench::ArrangedEnvironment;

constexpr std::array seed_kinds{DLCERT_CALL_SEED, DLCERT_CALL_SEED_ALL};

// What a sequence of kinds, numbered from 1, leaves to be run.
std::vector<std::int64_t> expected_runs(const std::vector<std::int32_t>& kinds) {
  std::vector<std::int64_t> plain;
  std::vector<std::int64_t> seeds;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == DLCERT_CALL_PLAIN) plain.push_back(static_cast<std::int64_t>(i) + 1);
  for (const std::int32_t kind : seed_kinds) {
    const auto latest = std::find(kinds.rbegin(), kinds.rend(), kind);
    if (latest != kinds.rend()) seeds.push_back(kinds.rend() - latest);
  }
  std::ranges::sort(seeds);
  plain.insert(plain.end(), seeds.begin(), seeds.end());
  return plain;
}

DLCERT_CHECK(latest_seeds_run_last,
             if_touched(on_both_vendors(
                 in_fresh_process("runtime.deferred.seeds",
                                  "the latest seed of each kind runs behind all other calls")))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  std::vector<std::int32_t> kinds(static_cast<std::size_t>(c.draw.between(1, 12)));
  for (std::int32_t& kind : kinds)
    kind = static_cast<std::int32_t>(c.draw.below(3));
  for (std::size_t i = 0; i < kinds.size(); ++i)
    queue_entry(runtime, journal, static_cast<int>(i) + 1, kinds[i]);
  require(runtime.initialize(), "initialize");
  const std::vector<std::int64_t> expected = expected_runs(kinds);
  if (expected.size() != kinds.size() || !std::ranges::is_sorted(expected)) c.touched();
  expect_equal("calls that have run", expected, journal.entries());
}

}  // namespace
}  // namespace dlcert::runtime
