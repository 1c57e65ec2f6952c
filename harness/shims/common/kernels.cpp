// SPDX-License-Identifier: Apache-2.0

#include "shims/common/kernels.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace dlcert::shim {
namespace {

constexpr unsigned long long most_threads = 1024;

struct Kernel {
  void** module;
  std::string name;
  const char* mangled;
};

struct Kernels {
  std::mutex mutex;
  std::set<std::unique_ptr<void*>> modules;
  std::map<const void*, Kernel> by_function;
};

// Never destroyed: object files come and go before and after everything else.
Kernels& kernels() {
  static Kernels& all = *new Kernels;
  return all;
}

std::string demangled(const char* name) {
  int error = 0;
  const std::unique_ptr<char, void (*)(void*)> text{
      abi::__cxa_demangle(name, nullptr, nullptr, &error), std::free};
  return error == 0 ? text.get() : name;
}

bool is_empty(const Extent& extent) {
  return extent.x == 0 || extent.y == 0 || extent.z == 0;
}

bool fits(const Extent& block) {
  if (block.x > most_threads || block.y > most_threads || block.z > most_threads) return false;
  return 1ULL * block.x * block.y * block.z <= most_threads;
}

}  // namespace

void** add_module() {
  const std::scoped_lock lock{kernels().mutex};
  return kernels().modules.insert(std::make_unique<void*>()).first->get();
}

void drop_module(void** module) {
  const std::scoped_lock lock{kernels().mutex};
  std::erase_if(kernels().by_function,
                [&](const auto& entry) { return entry.second.module == module; });
  std::erase_if(kernels().modules, [&](const auto& known) { return known.get() == module; });
}

void add_kernel(void** module, const void* function, const char* name) {
  const std::scoped_lock lock{kernels().mutex};
  kernels().by_function.insert_or_assign(function, Kernel{module, demangled(name), name});
}

bool find_kernel(const void* function, std::string& name) {
  const std::scoped_lock lock{kernels().mutex};
  const auto found = kernels().by_function.find(function);
  if (found == kernels().by_function.end()) return false;
  name = found->second.name;
  return true;
}

const char* find_kernel(const void* function) {
  const std::scoped_lock lock{kernels().mutex};
  const auto found = kernels().by_function.find(function);
  return found == kernels().by_function.end() ? nullptr : found->second.mangled;
}

Status launch_kernel(SimulatedDriver& driver, const void* function, const Extent& grid,
                     const Extent& block, Stream stream) {
  std::string name;
  if (!find_kernel(function, name)) return invalid_device_function;
  if (is_empty(grid) || is_empty(block) || !fits(block)) return invalid_configuration;
  return driver.launch(name, stream, {});
}

}  // namespace dlcert::shim
