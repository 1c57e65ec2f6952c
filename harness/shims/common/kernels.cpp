// SPDX-License-Identifier: Apache-2.0

#include "shims/common/kernels.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dlcert::shim {
namespace {

constexpr unsigned long long most_threads = 1024;

// The code of one object file. Its address is its handle.
struct Module {
  std::vector<const void*> functions;
};

// A program may have tens of thousands, and registers them before main.
struct Kernel {
  void** module;
  const char* name;
};

struct Kernels {
  std::mutex mutex;
  std::unordered_map<void**, std::unique_ptr<Module>> modules;
  std::unordered_map<const void*, Kernel> by_function;
};

// Never destroyed: object files come and go before and after everything else.
Kernels& kernels() {
  static Kernels& all = *new Kernels;
  return all;
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
  auto module = std::make_unique<Module>();
  auto* const handle = reinterpret_cast<void**>(module.get());
  const std::scoped_lock lock{kernels().mutex};
  kernels().modules.emplace(handle, std::move(module));
  return handle;
}

void drop_module(void** module) {
  const std::scoped_lock lock{kernels().mutex};
  const auto dropped = kernels().modules.find(module);
  if (dropped == kernels().modules.end()) return;
  auto& by_function = kernels().by_function;
  for (const void* const function : dropped->second->functions)
    if (const auto found = by_function.find(function);
        found != by_function.end() && found->second.module == module)
      by_function.erase(found);
  kernels().modules.erase(dropped);
}

void add_kernel(void** module, const void* function, const char* name) {
  const std::scoped_lock lock{kernels().mutex};
  const auto of = kernels().modules.find(module);
  if (of == kernels().modules.end()) return;
  kernels().by_function.insert_or_assign(function, Kernel{module, name});
  of->second->functions.push_back(function);
}

const char* find_kernel(const void* function) {
  const std::scoped_lock lock{kernels().mutex};
  const auto found = kernels().by_function.find(function);
  return found == kernels().by_function.end() ? nullptr : found->second.name;
}

Status launch_kernel(SimulatedDriver& driver, const void* function, const Extent& grid,
                     const Extent& block, Stream stream) {
  const char* const name = find_kernel(function);
  if (name == nullptr) return invalid_device_function;
  if (is_empty(grid) || is_empty(block) || !fits(block)) return invalid_configuration;
  return driver.launch(name, stream, {});
}

}  // namespace dlcert::shim
