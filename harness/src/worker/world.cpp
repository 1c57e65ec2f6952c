// SPDX-License-Identifier: Apache-2.0
#include "worker/world.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <vector>

#include <dlcert/driver/select.hpp>
#include <dlcert/driver/simulated.hpp>

namespace dlcert {

namespace {

constexpr int devices = 2;  // so that the current device can be the wrong one
constexpr const char* world_symbol = "dlcert_driver_world";

int add_name(dl_phdr_info* info, std::size_t, void* names) {
  if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

// The file that defines the world which the module `name` sees; empty when it sees none.
std::string world_of(const std::string& name) {
  void* const module = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (module == nullptr) return {};
  void* const world = ::dlsym(module, world_symbol);
  ::dlclose(module);
  Dl_info found{};
  if (world == nullptr || ::dladdr(world, &found) == 0) return {};
  return found.dli_fname;
}

}  // namespace

void start_world(const std::string& driver, Platform platform) {
  if (driver::select_driver(driver).name() != "simulated") return;
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  driver::SimulatedOptions options = simulated.options();
  options.vendor = platform == Platform::rocm ? driver::Vendor::rocm : driver::Vendor::cuda;
  if (std::getenv("DLCERT_SIMULATED_DEVICES") == nullptr) options.devices = devices;
  simulated.restart(options);
}

bool world_is_sound() {
  driver::Driver& used = driver::driver();
  int count = 0;
  bool sound = used.device_count(count) == driver::Status::success;
  for (int device = count; sound && device-- > 0;)
    sound = used.set_device(device) == driver::Status::success &&
            used.synchronize_device() == driver::Status::success;
  return sound;
}

std::string second_world() {
  std::vector<std::string> names;
  ::dl_iterate_phdr(&add_name, &names);
  std::string first;
  for (const std::string& name : names) {
    const std::string file = world_of(name);
    if (file.empty()) continue;
    if (first.empty()) first = file;
    if (file != first)
      return fmt::format("brings a second driver: expected only '{}' but found '{}' as well", first,
                         file);
  }
  return {};
}

}  // namespace dlcert
