// SPDX-License-Identifier: Apache-2.0
#include "cli/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "cli/session.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

constexpr std::size_t shown_rows = 8;
constexpr const char* all_layouts = "";

std::uint64_t handed_over(const TriedTensors& row) {
  return row.claimed - std::min(row.claimed, row.untried);
}

// Of a producer those that were not made count once.
std::uint64_t lost_of(const TriedTensors& row) {
  const std::uint64_t made = row.role == Role::producer ? row.made : row.claimed;
  return std::max(row.claimed - std::min(row.claimed, made),
                  handed_over(row) - std::min(handed_over(row), row.crossed));
}

std::string row_text(const TriedTensors& row) {
  const std::string place = fmt::format("  {} {}", row.device, row.layout);
  const bool producer = row.role == Role::producer;
  return fmt::format("{:<24}{:>8}{:>8}{:>10}{:>8}{}\n", place, row.claimed,
                     producer ? std::to_string(row.made) : "-", row.crossed, lost_of(row),
                     row.untried == 0 ? "" : fmt::format("   {} not tried", row.untried));
}

// The rows of a role. Those of a device beside the host of which nothing was lost are one.
std::vector<TriedTensors> shown(const Preflight& preflight, Role role) {
  std::vector<TriedTensors> rows;
  const auto of_device = [&](const TriedTensors& row) {
    return std::ranges::find_if(rows, [&](const TriedTensors& one) {
      return one.device == row.device && one.layout == all_layouts;
    });
  };
  for (const TriedTensors& row : preflight.findings.tried) {
    if (row.role != role) continue;
    const bool apart = row.device == "cpu" || lost_of(row) != 0;
    const auto whole = of_device(row);
    if (apart || whole == rows.end()) {
      rows.push_back(row);
      if (!apart) rows.back().layout = all_layouts;
      continue;
    }
    whole->claimed += row.claimed;
    whole->made += row.made;
    whole->crossed += row.crossed;
    whole->untried += row.untried;
  }
  return rows;
}

std::string role_table(const Preflight& preflight, Role role) {
  std::string rows;
  for (const TriedTensors& row : shown(preflight, role))
    rows += row_text(row);
  if (rows.empty()) return {};
  return fmt::format("{:<24}{:>8}{:>8}{:>10}{:>8}\n{}", fmt::format("as {}", to_text(role)),
                     "claimed", "made", role == Role::producer ? "exported" : "imported", "lost",
                     rows);
}

}  // namespace

std::string to_table(const Preflight& preflight) {
  std::string text;
  for (const auto& [role, kinds] : preflight.findings.claims)
    text += fmt::format("claims as {}: {}\n", role, join(kinds));
  return text + role_table(preflight, Role::producer) + role_table(preflight, Role::consumer);
}

std::vector<std::string> lines_of(const Preflight& preflight) {
  std::vector<std::string> lines;
  std::size_t rows = 0;
  for (const TriedTensors& row : preflight.findings.tried) {
    const std::uint64_t lost = lost_of(row);
    if (lost == 0 || row.lost.empty() || ++rows > shown_rows) continue;
    lines.push_back(fmt::format("as {}: {} {}: {} of {} tensors lost, the first {}",
                                to_text(row.role), row.device, row.layout, lost, row.claimed,
                                row.lost));
  }
  if (rows > shown_rows)
    lines.push_back(fmt::format("{} more rows with lost tensors; `dlcert smoke` prints all rows",
                                rows - shown_rows));
  for (const std::string& hint : preflight.findings.hints)
    lines.push_back(hint);
  for (const std::string& how : preflight.broken_off)
    lines.push_back(fmt::format("the preflight stopped early; the checks judge the rest: {}", how));
  return lines;
}

void require_faultless(const AdapterInfo& adapter, const Preflight& preflight) {
  if (preflight.fault) throw fault_error(*preflight.fault);
  const std::vector<std::string>& faults = preflight.findings.faults;
  if (faults.empty()) return;
  CommandError error{exit_usage,
                     fmt::format("adapter '{}': the preflight found a fault of the adapter: {}",
                                 adapter.path, faults.front())};
  for (std::size_t i = 1; i < faults.size(); ++i)
    error.below += fmt::format("  and: {}\n", one_line(faults[i]));
  error.below += "  Nothing was judged; --no-preflight runs the checks anyway.\n";
  throw CommandError{error};
}

// Those that are files still: what a library makes for one process is none of what it consists of.
static void add_modules(std::vector<std::string>& modules, const std::vector<std::string>& used) {
  for (const std::string& module : used)
    if (!module.starts_with("/proc/") && std::filesystem::exists(module) &&
        std::ranges::find(modules, module) == modules.end())
      modules.push_back(module);
}

std::vector<Preflight> require_preflight(Inventory& inventory, const RunOptions& options) {
  std::vector<Preflight> preflights = run_preflight(inventory, options);
  for (std::size_t i = 0; i < preflights.size(); ++i) {
    AdapterInfo& adapter = inventory.adapters[i];
    const bool asked = preflights[i].broken_off.empty() || !preflights[i].findings.claims.empty();
    if (asked) adapter.claims = preflights[i].findings.claims;
    adapter.declared.dlpack = preflights[i].findings.dlpack;
    add_modules(inventory.modules, preflights[i].findings.modules);
    require_faultless(adapter, preflights[i]);
    note_early(adapter.name, preflights[i], inventory);
    for (const std::string& line : lines_of(preflights[i]))
      fmt::print(stderr, "dlcert: preflight: {}: {}\n", one_line(adapter.name), one_line(line));
  }
  return preflights;
}

}  // namespace dlcert
