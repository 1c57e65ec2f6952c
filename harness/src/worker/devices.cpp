// SPDX-License-Identifier: Apache-2.0
#include "worker/devices.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include <dlcert/driver/select.hpp>
#include <dlcert/driver/simulated.hpp>

#include "worker/modules.hpp"
#include "worker/runtimes.hpp"

namespace dlcert {

namespace {

constexpr int device_count = 2;  // so that the current device can be the wrong one
constexpr const char* driver_symbol = "dlcert_driver_world";

}  // namespace

void start_devices(const std::string& driver, Platform platform, bool only_forks, bool drop_in) {
  if (driver::select_driver(driver).name() != "simulated") return;
  // Not what the environment says, which would make a run say less than it seems to.
  driver::SimulatedOptions options;
  options.vendor = platform == Platform::rocm ? driver::Vendor::rocm : driver::Vendor::cuda;
  options.devices = device_count;
  options.ends_at_fork = only_forks;
  driver::simulated_driver().restart(options);
  // The management libraries tell of as many, until a check says otherwise.
  ::setenv("DLCERT_MANAGEMENT", fmt::format("devices={}", device_count).c_str(), 1);
  drop_in ? open_drop_in_runtimes() : leave_runtimes_to_libraries();
}

bool has_devices_of(Platform platform) {
  if (platform == Platform::any) return true;
  const bool rocm = driver::driver().vendor() == driver::Vendor::rocm;
  return rocm == (platform == Platform::rocm);
}

bool devices_work() {
  driver::Driver& used = driver::driver();
  int count = 0;
  bool work = used.device_count(count) == driver::Status::success;
  for (int device = count; work && device-- > 0;)
    work = used.set_device(device) == driver::Status::success &&
           used.synchronize_device() == driver::Status::success;
  return work;
}

std::vector<std::string> take_limits() {
  if (driver::driver().name() != "simulated") return {};
  return driver::simulated_driver().take_limits();
}

void tell_limits(std::function<void(const std::string&)> told) {
  if (driver::driver().name() != "simulated") return;
  driver::simulated_driver().tell_limits(std::move(told));
}

std::uint64_t opaque_launches() {
  if (driver::driver().name() != "simulated") return 0;
  return driver::simulated_driver().opaque_launches();
}

std::string second_driver() {
  if (driver::driver().name() != "simulated") return {};
  std::string first;
  for (const std::string& module : module_files()) {
    const std::string file = file_of_symbol(module.c_str(), driver_symbol);
    if (file.empty()) continue;
    if (first.empty()) first = file;
    if (file != first)
      return fmt::format("loads a second driver: expected only '{}' but found '{}' as well", first,
                         file);
  }
  return foreign_runtime();
}

std::string unseen_runtime() {
  return driver::driver().name() == "simulated" ? unseen_runtime_in_process() : std::string{};
}

}  // namespace dlcert
