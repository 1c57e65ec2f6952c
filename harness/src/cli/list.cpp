// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

std::map<std::string, std::size_t> checks_by_requirement(const Options& options) {
  std::map<std::string, std::size_t> counts;
  for (const CheckInfo& check : require_inventory(find_worker(options), options).checks)
    ++counts[check.requirement];
  return counts;
}

}  // namespace

int list(const Options& options, bool only_tested) {
  const Register& known = Register::embedded();
  const std::vector<const Requirement*> selected = select(known, selection_of(options));
  std::map<std::string, std::size_t> checks = checks_by_requirement(options);
  std::size_t listed = 0;
  for (const Requirement* const requirement : selected) {
    const std::size_t count = checks[requirement->id];
    if (only_tested && count == 0) continue;
    fmt::print("{:<46} {:<6} {:<8} {:<22} {:>2} {}  {}\n", requirement->id,
               to_text(requirement->level), requirement->role, requirement->feature, count,
               count == 1 ? "check " : "checks", requirement->since);
    ++listed;
  }
  if (listed == 0) throw CommandError{exit_vacuous, "nothing was selected"};
  return exit_certified;
}

}  // namespace dlcert
