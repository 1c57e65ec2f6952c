// SPDX-License-Identifier: Apache-2.0

#include "shims/common/shim.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace dlcert::shim {
namespace {

thread_local Status last_error = Status::success;

// `dlcert with-simulated-gpu --races` sets the variable. What watches lies beside this library.
void start_watch(SimulatedDriver& driver) {
  const char* const file = std::getenv("DLCERT_RACES");
  if (file == nullptr || *file == '\0') return;
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&start_watch), &own) == 0) return;
  const std::string path{own.dli_fname};
  const std::string module = path.substr(0, path.rfind('/') + 1) + "libdlcert_watch.so";
  void* const opened = ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const watch = opened == nullptr ? nullptr : ::dlsym(opened, "dlcert_watch_races");
  if (watch != nullptr)
    reinterpret_cast<void (*)(SimulatedDriver&, const char*)>(watch)(driver, file);
  else
    static_cast<void>(
        std::fprintf(stderr, "dlcert: %s: cannot watch for races: %s\n", library, ::dlerror()));
}

// NULL when the environment asks for devices that cannot be simulated.
SimulatedDriver* start() {
  try {
    SimulatedDriver& started = driver::simulated_driver();
    start_watch(started);
    return &started;
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "dlcert: %s: %s\n", library, error.what()));
    return nullptr;
  }
}

void refuse_vendor(driver::Vendor found) {
  static std::atomic_flag reported;
  if (reported.test_and_set()) return;
  const std::string expected{driver::to_text(vendor)};
  static_cast<void>(std::fprintf(stderr,
                                 "dlcert: %s: expected simulated devices of %s but found %s: set "
                                 "DLCERT_SIMULATED_VENDOR=%s\n",
                                 library, expected.c_str(), driver::to_text(found).data(),
                                 expected.c_str()));
}

}  // namespace

// Asked each time, since the driver may be restarted with devices of the other vendor.
SimulatedDriver* simulated() {
  static SimulatedDriver* const driver = start();
  if (driver == nullptr || driver->vendor() == vendor) return driver;
  refuse_vendor(driver->vendor());
  return nullptr;
}

Status remember(Status status) noexcept {
  if (status != Status::success) last_error = status;
  return status;
}

// The driver knows the errors that stick to a device, the shim those of calls that it answered
// without the driver.
Status take_error(SimulatedDriver& driver) {
  const Status of_driver = driver.take_error();
  const Status of_shim = std::exchange(last_error, Status::success);
  return of_shim != Status::success ? of_shim : of_driver;
}

Status peek_error(SimulatedDriver& driver) {
  return last_error != Status::success ? last_error : driver.peek_error();
}

Status note_limit(const char* name, std::atomic_flag& reported) noexcept {
  if (!reported.test_and_set())
    static_cast<void>(std::fprintf(stderr, "dlcert: %s is not modelled\n", name));
  static_cast<void>(answer([name](SimulatedDriver& driver) {
    driver.note_limit(std::string{name} + " is not modelled");
    return Status::success;
  }));
  return Status::not_supported;
}

Status not_modelled(const char* name, std::atomic_flag& reported) noexcept {
  return remember(note_limit(name, reported));
}

}  // namespace dlcert::shim
