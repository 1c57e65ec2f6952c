// SPDX-License-Identifier: Apache-2.0
#include "worker/inventory.hpp"

#include <dlpack/dlpack.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <sstream>

#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/table.hpp>
#include <dlcert/suite/trace.hpp>

#include "party/fork_hooks.hpp"
#include "party/python_source.hpp"
#include "register/profile.hpp"
#include "worker/claimed_specs.hpp"
#include "worker/claimed_tensors.hpp"
#include "worker/devices.hpp"
#include "worker/library.hpp"
#include "worker/modules.hpp"
#include "worker/own_allocations.hpp"

namespace dlcert {

namespace {

CheckInfo info_of(const Check& check) {
  CheckInfo info;
  info.requirement = check.requirement;
  info.name = check.name;
  info.sentence = check.sentence;
  info.role = check.role;
  info.rows = check.rows;
  info.needs = check.needs;
  info.own_process = check.isolation == Isolation::own_process;
  info.process_per_case = check.isolation == Isolation::process_per_case;
  info.processes = check.processes;
  info.platform = check.platform;
  info.device_tensors = check.device_tensors;
  info.one_in = check.one_in;
  info.fact = check.fact;
  info.pair = check.pair;
  return info;
}

// A runtime whose calls nobody sees matters where the library's own tensors come from it. It may
// have come with a library of which no more than the host's part is used, or with one that is used
// for something else.
std::string note_on_runtime(const Library& library) {
  const std::string unseen = unseen_runtime();
  if (unseen.empty()) return {};
  if (claims_devices(library.party()) || claims_devices(library.consumer())) {
    if (driver_sees_allocations(library.party()))
      return fmt::format(
          "{}: dlcert cannot see GPU calls through this file, but sees those of '{}'", unseen,
          library.party().name());
    throw AdapterError{fmt::format("adapter '{}': {}; use -cudart shared", library.path(), unseen)};
  }
  return fmt::format(
      "{}: dlcert cannot see GPU calls through this file, but the adapter claims no devices",
      unseen);
}

// Adds the modules that are there while the adapter is loaded.
AdapterInfo info_of(const AdapterSource& source, const Asked& asked, std::set<std::string>& modules,
                    const std::function<void(Phase)>& reached) {
  AdapterInfo info;
  reached(Phase::loading);
  try {
    Library library{source};
    std::ranges::move(module_files(), std::inserter(modules, modules.end()));
    info = description_of(library);
    info.note = note_on_runtime(library);
    if (asked.platform != Platform::any && has_devices_of(asked.platform)) {
      ask_claims(library, asked, info, [&] { reached(Phase::running); });
    }
    reached(Phase::closing);
    library.close();
    reached(Phase::unloading);
  } catch (const AdapterError& error) {
    info.path = source.path;
    info.error = error.what();
    std::fflush(nullptr);  // what it printed is shown with the error
  }
  return info;
}

std::string text_of(const std::string& text) {
  return fmt::format("'{}'", text);
}
std::string text_of(bool offered) {
  return offered ? "true" : "false";
}
std::string text_of(std::uint64_t bits) {
  return fmt::format("{:#x}", bits);
}
std::string text_of(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

AdapterInfo description_of(const Library& library) {
  const dlcert_adapter& table = library.party().table();
  AdapterInfo info;
  info.path = library.path();
  info.name = table.name;
  info.version = table.version;
  info.declared.runtime = offered(&table, &dlcert_adapter::runtime) ? table.runtime : "";
  info.declared.array_api = offered(&table, &dlcert_adapter::array_api) ? table.array_api : "";
  info.producer = (table.roles & DLCERT_PRODUCER) != 0;
  info.consumer = (table.roles & DLCERT_CONSUMER) != 0;
  info.enumerates = (table.roles & DLCERT_RUNTIME) != 0;
  info.properties = table.properties;
  info.offers = library.party().offers();
  info.fork_hooks = has_fork_hooks(table);
  for (GroupFunctions& group : functions_of(table))
    info.groups.emplace(std::move(group.group), std::move(group.functions));
  return info;
}

void ask_claims(const Library& library, const Asked& asked, AdapterInfo& info,
                const std::function<void()>& asking) {
  const TracePause pause;  // thousands of calls; if one crashes, a check reports it
  const std::uint32_t declared = library.party().table().roles;
  const auto ask = [&](Role role, std::uint32_t bit, const Party& party) {
    if ((declared & bit) == 0) return;
    asking();
    std::vector<dlcert_device> memories;
    std::vector<Platform>& without = info.no_tensors_on[std::string{to_text(role)}];
    if (asked.all) {
      memories.push_back({kDLCPU, 0});
      if (!claims_tensors_on(party, Platform::any)) without.push_back(Platform::any);
    }
    if (claims_tensors_on(party, asked.platform))
      std::ranges::copy(memories_of(asked.platform), std::back_inserter(memories));
    else
      without.push_back(asked.platform);
    info.tensors[std::string{to_text(role)}] = find_claimed_tensors(party, memories, asking);
  };
  ask(Role::producer, DLCERT_PRODUCER, library.party());
  ask(Role::consumer, DLCERT_CONSUMER, library.consumer());
}

LoadedAdapter loaded_adapter(const Library& library) {
  LoadedAdapter loaded{library.file(), {}};
  std::istringstream lines{python::source(library.party().table(), DLCERT_PYTHON_IMPORTS)};
  for (std::string line; std::getline(lines, line);)
    loaded.imports += (loaded.imports.empty() ? "" : "; ") + line;
  if (loaded.imports.empty()) return loaded;
  const Python asked{library.party()};
  if (auto file = asked.evaluate("library.__file__"); file.ok())
    loaded.file = std::move(file).value();
  return loaded;
}

std::string difference(const AdapterInfo& before, const AdapterInfo& now) {
  std::string found;
  const auto compare = [&](std::string_view what, const auto& expected, const auto& actual) {
    if (found.empty() && expected != actual)
      found = fmt::format("{}: expected {} but found {}", what, text_of(expected), text_of(actual));
  };
  compare("name", before.name, now.name);
  compare("version", before.version, now.version);
  compare("runtime", before.declared.runtime, now.declared.runtime);
  compare("array_api", before.declared.array_api, now.declared.array_api);
  compare("producer", before.producer, now.producer);
  compare("consumer", before.consumer, now.consumer);
  compare("enumerates", before.enumerates, now.enumerates);
  compare("properties", std::uint64_t{before.properties}, std::uint64_t{now.properties});
  auto groups = before.groups;
  groups.insert(now.groups.begin(), now.groups.end());
  const auto functions = [](const AdapterInfo& info, const std::string& group) {
    const auto there = info.groups.find(group);
    return there == info.groups.end() ? std::vector<std::string>{} : there->second;
  };
  for (const auto& [group, any] : groups)
    compare(fmt::format("functions of {}", group), functions(before, group), functions(now, group));
  compare("offers", before.offers, now.offers);
  compare("fork hooks", before.fork_hooks, now.fork_hooks);
  return found;
}

Inventory take_inventory(const Suite& suite, std::span<const AdapterSource> adapters,
                         const Asked& asked, const std::function<void(Phase)>& reached) {
  Inventory inventory;
  inventory.build = own_build();
  if (asked.all)
    for (const Check& check : suite.checks())
      inventory.checks.push_back(info_of(check));
  const std::vector<std::string> own = module_files();
  std::set<std::string> modules{own.begin(), own.end()};
  for (const AdapterSource& source : adapters)
    inventory.adapters.push_back(info_of(source, asked, modules, reached));
  inventory.modules.assign(modules.begin(), modules.end());
  return inventory;
}

}  // namespace dlcert
