// SPDX-License-Identifier: Apache-2.0
#include "first_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "report/faults.hpp"
#include "side_by_side.hpp"

namespace dlcert {
namespace {

// Empty: nothing failed.
std::string first_fault(ModuleRun run, const designs::Sibling& sibling) {
  run.library = sibling.id;
  Results results = run_module(run, {});
  apply_consequences(results, Register::embedded());
  const std::vector<Fault> faults = faults_of(results);
  return faults.empty() ? std::string{} : faults.front().broken->requirement;
}

}  // namespace

double measure_first_faults(const std::vector<designs::Sibling>& siblings, const ModuleRun& run) {
  std::vector<const designs::Sibling*> chosen;
  for (const designs::Sibling& sibling : siblings)
    if (!sibling.fault.must_fail.empty()) chosen.push_back(&sibling);
  std::size_t right = 0;
  side_by_side(
      chosen.size(), [&](std::size_t index) { return first_fault(run, *chosen[index]); },
      [&](std::size_t index, const std::string& first) {
        const std::vector<std::string>& expected = chosen[index]->fault.must_fail;
        const bool is_right = std::ranges::find(expected, first) != expected.end();
        right += is_right ? 1 : 0;
        if (!is_right)
          fmt::print("{}: expected {} but found {} first\n", chosen[index]->id,
                     fmt::join(expected, ", "), first.empty() ? "nothing" : first);
        std::fflush(stdout);
      });
  const double percent =
      chosen.empty() ? 0 : 100 * static_cast<double>(right) / static_cast<double>(chosen.size());
  fmt::print("first fault right: {} of {} wrong siblings ({:.1f} %)\n", right, chosen.size(),
             percent);
  return percent;
}

}  // namespace dlcert
