// SPDX-License-Identifier: Apache-2.0
//
// Any bytes are settings, or are refused with one line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "shims/management/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

bool starts_with_nvml(const char* symbol) {
  return std::strncmp(symbol, "nvml", 4) == 0;
}

template <std::size_t Size>
bool is_terminated(const char (&text)[Size]) {
  return std::memchr(text, '\0', Size) != nullptr;
}

void check_accepted(const management_settings& settings) {
  require(settings.device_count <= MANAGEMENT_DEVICES);
  require(settings.fault_count <= MANAGEMENT_FAULTS);
  require(is_terminated(settings.trace));
  for (const management_device& device : settings.devices) {
    require(is_terminated(device.uuid) && is_terminated(device.serial) &&
            is_terminated(device.pci));
    require(std::strlen(device.serial) <= 16);
  }
  for (std::uint32_t i = 0; i < settings.fault_count; ++i) {
    require(starts_with_nvml(settings.faults[i].symbol));
  }
}

void check_refused(std::string_view problem) {
  require(problem.find(": expected ") != problem.npos &&
          problem.find("but found '") != problem.npos);
  require(std::all_of(problem.begin(), problem.end(), [](char c) { return c >= ' ' && c < 0x7F; }));
}

void parse(std::string_view text, const char* file) {
  const auto settings = std::make_unique<management_settings>();
  char problem[MANAGEMENT_PROBLEM] = "";
  management_defaults(settings.get(), 1);
  if (management_parse(settings.get(), text.data(), text.size(), file, starts_with_nvml, problem)) {
    check_accepted(*settings);
  } else {
    check_refused(problem);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  parse(text, nullptr);
  parse(text, "settings.txt");
  return 0;
}
