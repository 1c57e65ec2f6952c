// SPDX-License-Identifier: Apache-2.0
//
// `dlcert smoke`: a first look at an adapter: the functions found in it, what it claims and what
// became of it, and one check of each role.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/preflight.hpp"
#include "cli/session.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/failure.hpp"
#include "report/run_verdict.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

// Create, export and release in one role; import and release in the other.
constexpr const char* as_producer = "lifetime.memory-valid-until-deleter";
constexpr const char* as_consumer = "lifetime.deleter.exactly-once";

void print_adapter(const AdapterInfo& adapter, const Settings& settings) {
  fmt::print("{}\n", one_line(adapter.path));
  const auto field = [](std::string_view name, std::string_view value) {
    fmt::print("  {:<13} {}\n", name, value);
  };
  field("name", adapter.name);
  field("version", adapter.version);
  field("abi", std::to_string(DLCERT_ABI_MAJOR));
  std::vector<std::string> roles;
  if (adapter.producer) roles.emplace_back("producer");
  if (adapter.consumer) roles.emplace_back("consumer");
  if (adapter.enumerates) roles.emplace_back("runtime");
  field("roles", join(roles));
  field("properties", join(property_names(adapter.properties)));
  const Standards standards = standards_of(settings, adapter.declared);
  field("DLPack", standards.dlpack);
  field("array API", standards.array_api);
  field("runtime rules", standards.runtime);
  for (const auto& [group, functions] : adapter.groups)
    field(group, join(functions));
}

}  // namespace

int smoke(const Options& options) {
  const Register& known = Register::embedded();
  RunOptions run;
  run.settings = settings_of(options, known);
  run.worker = find_worker(options);
  run.adapters = find_adapters(options).sources;
  run.load_seconds = options.load_seconds;
  run.seed = 1;
  run.cases = 1;
  Inventory inventory = require_inventory(run);
  const std::vector<Preflight> preflights = run_preflight(inventory, run);
  for (std::size_t i = 0; i < preflights.size(); ++i)
    inventory.adapters[i].declared.dlpack = preflights[i].findings.dlpack;
  for (std::size_t i = 0; i < preflights.size(); ++i) {
    print_adapter(inventory.adapters[i], run.settings);
    fmt::print("{}", to_table(preflights[i]));
    for (const std::string& line : lines_of(preflights[i]))
      fmt::print("{}\n", one_line(line));
  }
  std::fflush(stdout);
  for (std::size_t i = 0; i < preflights.size(); ++i)
    require_faultless(inventory.adapters[i], preflights[i]);

  Selection selection;
  selection.ids = {as_producer, as_consumer};
  const Plan plan = make_plan(known, inventory, selection, run.settings);
  const Results results = execute(plan, inventory, run, {});
  if (results.adapter_fault) throw fault_error(*results.adapter_fault);
  for (const AdapterInfo& adapter : inventory.adapters)
    if (adapter.enumerates)
      fmt::print("the role runtime is not tried: its rules are those of PyTorch (--runtime)\n");
  int exit_code = exit_certified;
  for (const RequirementResult& result : results.results) {
    if (result.verdict == Verdict::not_applicable) continue;
    if (result.verdict == Verdict::pass) {
      fmt::print("one tensor as {}: pass\n", to_text(tested_role(result)));
    } else {
      fmt::print("one tensor as {}: {}", to_text(tested_role(result)),
                 describe_failure(results, result, known, {}));
      exit_code = exit_failed;
    }
  }
  return exit_code;
}

}  // namespace dlcert
