// SPDX-License-Identifier: Apache-2.0
//
// The one simulated driver of the process, and the options that the environment gives it.

#include <pthread.h>

#include <charconv>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "simulated/world.hpp"

namespace dlcert::driver {
namespace {

[[noreturn]] void refuse(const char* variable, const char* expected, std::string_view found) {
  throw std::invalid_argument(std::string(variable) + ": expected " + expected + " but found '" +
                              std::string(found) + "'");
}

template <class Number>
void read_number(const char* variable, const char* expected, Number& out) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return;
  const std::string_view digits{text};
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), out);
  if (error != std::errc() || end != digits.end()) refuse(variable, expected, digits);
}

void read_vendor(SimulatedOptions& options) {
  const char* const text = std::getenv("DLCERT_SIMULATED_VENDOR");
  if (text == nullptr) return;
  for (const Vendor vendor : {Vendor::cuda, Vendor::rocm})
    if (to_text(vendor) == text) {
      options.vendor = vendor;
      return;
    }
  refuse("DLCERT_SIMULATED_VENDOR", "cuda or rocm", text);
}

void read_schedule(SimulatedOptions& options) {
  const char* const text = std::getenv("DLCERT_SIMULATED_SCHEDULE");
  if (text == nullptr) return;
  for (const Schedule schedule : {Schedule::eager, Schedule::late, Schedule::seeded})
    if (to_text(schedule) == text) {
      options.schedule = schedule;
      return;
    }
  refuse("DLCERT_SIMULATED_SCHEDULE", "eager, late or seeded", text);
}

// Programs find forks as they are with a real driver.
SimulatedOptions options_of_environment() {
  SimulatedOptions options;
  options.ends_at_fork = true;
  read_vendor(options);
  read_schedule(options);
  read_number("DLCERT_SIMULATED_DEVICES", "0 to 64", options.devices);
  read_number("DLCERT_SIMULATED_SEED", "a number", options.seed);
  if (options.devices < 0 || options.devices > 64)
    refuse("DLCERT_SIMULATED_DEVICES", "0 to 64", std::to_string(options.devices));
  return options;
}

// Never destroyed: threads and deleters may still use it when the process ends.
simulated::World& world() {
  static simulated::World& world = *new simulated::World{options_of_environment()};
  return world;
}

SimulatedDriver& make_driver() {
  SimulatedDriver& made = world();
  const int error =
      pthread_atfork([] { world().before_fork(); }, [] { world().after_fork_in_parent(); },
                     [] { world().after_fork_in_child(); });
  if (error != 0) throw std::bad_alloc();
  return made;
}

}  // namespace

SimulatedDriver& simulated_driver() {
  static SimulatedDriver& driver = make_driver();
  return driver;
}

}  // namespace dlcert::driver
