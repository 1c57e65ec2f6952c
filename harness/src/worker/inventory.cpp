// SPDX-License-Identifier: Apache-2.0
#include "worker/inventory.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include <dlcert/suite/table.hpp>

#include "register/embedded.hpp"
#include "worker/library.hpp"
#include "worker/modules.hpp"

namespace dlcert {

namespace {

CheckInfo info_of(const Check& check) {
  CheckInfo info;
  info.requirement = check.requirement;
  info.sentence = check.sentence;
  info.role = check.role;
  info.rows = check.rows;
  info.needs = check.needs;
  info.own_process = check.isolation == Isolation::own_process;
  info.process_per_case = check.isolation == Isolation::process_per_case;
  info.platform = check.platform;
  info.one_in = check.one_in;
  info.fact = check.fact;
  return info;
}

// Adds the modules that are there while the adapter is loaded.
AdapterInfo info_of(const std::string& path, std::set<std::string>& modules) {
  AdapterInfo info;
  info.path = path;
  try {
    const Library library{path};
    std::ranges::move(module_files(), std::inserter(modules, modules.end()));
    const dlcert_adapter& table = library.party().table();
    info.name = table.name;
    info.version = table.version;
    info.runtime = offered(&table, &dlcert_adapter::runtime) ? table.runtime : "";
    info.producer = (table.roles & DLCERT_PRODUCER) != 0;
    info.consumer = (table.roles & DLCERT_CONSUMER) != 0;
    info.enumerates = (table.roles & DLCERT_RUNTIME) != 0;
    info.properties = table.properties;
    info.offers = library.party().offers();
    for (GroupFunctions& group : functions_of(table))
      info.groups.emplace(std::move(group.group), std::move(group.functions));
  } catch (const AdapterError& error) {
    info.error = error.what();
    std::fflush(nullptr);  // what it printed is shown with the error
  }
  return info;
}

}  // namespace

Inventory take_inventory(const Suite& suite, std::span<const std::string> adapters) {
  Inventory inventory;
  for (const Check& check : suite.checks())
    inventory.checks.push_back(info_of(check));
  std::set<std::string> modules;
  for (const std::string& path : adapters)
    inventory.adapters.push_back(info_of(path, modules));
  inventory.modules.assign(modules.begin(), modules.end());
  inventory.register_digest = embedded_text("sha256");
  return inventory;
}

}  // namespace dlcert
