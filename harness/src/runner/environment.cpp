// SPDX-License-Identifier: Apache-2.0
#include "runner/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace dlcert {
namespace {

// Names, or how names begin: those that end with an underscore.
constexpr std::array<std::string_view, 3> own{"DLCERT_SIMULATED_", "DLCERT_MANAGEMENT",
                                              "DLCERT_MANAGEMENT_"};
constexpr std::array<std::string_view, 6> of_devices{
    "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",    "CUDA_MODULE_LOADING", "PYTORCH_NVML_BASED_CUDA_CHECK"};
constexpr std::array<std::string_view, 11> weakening{
    "ASAN_OPTIONS",    "DLCERT_WORKER", "GLIBC_TUNABLES", "LD_AUDIT",
    "LD_LIBRARY_PATH", "LD_PRELOAD",    "LSAN_OPTIONS",   "MALLOC_",
    "MSAN_OPTIONS",    "TSAN_OPTIONS",  "UBSAN_OPTIONS"};

template <std::size_t size>
bool holds(const std::array<std::string_view, size>& names, std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return std::ranges::any_of(names, [&](std::string_view known) {
    return known.ends_with('_') ? name.starts_with(known) : name == known;
  });
}

}  // namespace

std::vector<std::string> worker_environment(std::string_view driver) {
  std::vector<std::string> passed;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (!holds(own, *variable) && !(driver == "simulated" && holds(of_devices, *variable)))
      passed.emplace_back(*variable);
  return passed;
}

std::vector<std::string> conditions(std::string_view driver) {
  std::vector<std::string> found = worker_environment(driver);
  std::erase_if(found, [](const std::string& variable) {
    return variable.ends_with('=') || !(holds(weakening, variable) || holds(of_devices, variable));
  });
  std::ranges::sort(found);
  return found;
}

}  // namespace dlcert
