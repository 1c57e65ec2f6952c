// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/select.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

#include "dlcert/driver/simulated.hpp"

#include "vendor/vendor_drivers.hpp"

namespace dlcert::driver {
namespace {

struct Choice {
  std::string_view name;
  Driver& (*make)();
};

// A driver is never destroyed: streams and memory are given back even while the process ends.
constexpr std::array choices{
    Choice{"simulated", []() -> Driver& { return simulated_driver(); }},
    Choice{"cuda", []() -> Driver& { return *make_cuda_driver().release(); }},
    Choice{"cuda-driver", []() -> Driver& { return *make_cuda_driver_api_driver().release(); }},
    Choice{"hip", []() -> Driver& { return *make_hip_driver().release(); }},
};

constinit std::mutex choosing;
constinit std::atomic<Driver*> in_use{nullptr};

const Choice& choice_of(std::string_view name) {
  for (const Choice& choice : choices) {
    if (choice.name == name) return choice;
  }
  throw std::invalid_argument("expected driver simulated, cuda, cuda-driver or hip but found '" +
                              std::string(name) + "'");
}

/// The caller holds `choosing`.
Driver& choose(std::string_view name) {
  Driver& chosen = choice_of(name).make();
  in_use.store(&chosen, std::memory_order_release);
  return chosen;
}

std::string_view name_in_environment() {
  const char* const name = std::getenv("DLCERT_DRIVER");
  return name == nullptr || *name == '\0' ? "simulated" : name;
}

}  // namespace

Driver& driver() {
  Driver* const current = in_use.load(std::memory_order_acquire);
  if (current != nullptr) return *current;
  const std::scoped_lock lock(choosing);
  Driver* const meanwhile = in_use.load(std::memory_order_relaxed);
  return meanwhile != nullptr ? *meanwhile : choose(name_in_environment());
}

Driver& select_driver(std::string_view name) {
  const std::scoped_lock lock(choosing);
  const std::string_view wanted = choice_of(name).name;
  Driver* const current = in_use.load(std::memory_order_relaxed);
  if (current == nullptr) return choose(wanted);
  if (current->name() == wanted) return *current;
  throw std::logic_error("expected driver '" + std::string(current->name()) +
                         "', which is in use, but found '" + std::string(wanted) + "'");
}

}  // namespace dlcert::driver
