// SPDX-License-Identifier: Apache-2.0

#include "shims/common/variables.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace dlcert::shim {
namespace {

struct Variable {
  void** module;
  const char* name;
  std::size_t bytes;
  bool used;
};

struct Variables {
  std::mutex mutex;
  std::map<const void*, Variable> by_address;
};

// Never destroyed: object files come and go before and after everything else.
Variables& variables() {
  static Variables& all = *new Variables;
  return all;
}

bool is_within(const VariablePart& part, std::size_t bytes) {
  return part.offset <= bytes && part.bytes <= bytes - part.offset;
}

}  // namespace

void add_variable(void** module, const void* variable, const char* name, std::size_t bytes) {
  const std::scoped_lock lock{variables().mutex};
  variables().by_address.insert_or_assign(variable, Variable{module, name, bytes, false});
}

void drop_variables(void** module) {
  std::vector<const void*> used;
  {
    const std::scoped_lock lock{variables().mutex};
    std::erase_if(variables().by_address, [&](const auto& each) {
      if (each.second.module != module) return false;
      if (each.second.used) used.push_back(each.first);
      return true;
    });
  }
  for (const void* const variable : used)
    static_cast<void>(answer([&](SimulatedDriver& driver) {
      driver.drop_device_variable(variable);
      return Status::success;
    }));
}

bool find_variable(const void* variable, std::size_t& bytes) {
  const std::scoped_lock lock{variables().mutex};
  const auto found = variables().by_address.find(variable);
  if (found == variables().by_address.end()) return false;
  bytes = found->second.bytes;
  return true;
}

Status locate(SimulatedDriver& driver, const VariablePart& part, void*& out) {
  const std::scoped_lock lock{variables().mutex};
  const auto found = variables().by_address.find(part.variable);
  if (found == variables().by_address.end()) return invalid_symbol;
  Variable& variable = found->second;
  if (!is_within(part, variable.bytes)) return Status::invalid_value;
  void* begin = nullptr;
  bool made = false;
  const Status status = driver.device_variable(part.variable, variable.bytes, begin, made);
  if (status != Status::success) return status;
  variable.used = true;
  if (made && !(part.is_written && part.bytes == variable.bytes))
    driver.note_limit("the initial value of the device variable " + std::string{variable.name} +
                      " is not modelled");
  out = static_cast<std::byte*>(begin) + part.offset;
  return Status::success;
}

}  // namespace dlcert::shim
