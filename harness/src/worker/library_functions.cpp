// SPDX-License-Identifier: Apache-2.0
#include <dlcert/adapter_functions.hpp>
#include <dlcert/suite/table.hpp>

#include "worker/library.hpp"

namespace dlcert {

std::vector<GroupFunctions> functions_of(const dlcert_adapter& table) {
  std::vector<GroupFunctions> groups;
  adapter::each_group([&](auto functions) {
    const auto* const group = group_of(table, functions.member);
    GroupFunctions& listed = groups.emplace_back(GroupFunctions{functions.name, {}});
    functions.each([&](const char* name, auto member) {
      if (offered(group, member)) listed.functions.emplace_back(name);
    });
  });
  return groups;
}

}  // namespace dlcert
