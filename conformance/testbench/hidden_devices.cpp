// SPDX-License-Identifier: Apache-2.0
#include "testbench/hidden_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace dlcert::testbench {

namespace {

// As the driver has them in every process, so that it need not be started anew.
constexpr int visible_devices = 2;
constexpr int most_hidden = 4;

std::vector<int> draw_physical(Draw& draw) {
  const int machine = visible_devices + static_cast<int>(draw.between(1, most_hidden));
  std::vector<int> physical;
  for (int ordinal = 0; ordinal < visible_devices; ++ordinal) {
    std::vector<int> left;
    for (int device = machine; device-- > 0;)
      if (device != ordinal && std::ranges::count(physical, device) == 0) left.push_back(device);
    physical.push_back(draw.one_of(left));
  }
  return physical;
}

// The UUID of a device that the driver has, as its bytes are written.
std::string uuid_of(int ordinal) {
  driver::DeviceProperties said;
  if (driver::simulated_driver().properties(ordinal, said) != driver::Status::success)
    throw NotClaimed{"a driver that has not started before"};
  std::string text;
  for (std::size_t i = 0; i < said.uuid.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", said.uuid[i]);
  return is_rocm() ? text : "GPU-" + text;
}

std::string settings_of(const std::vector<int>& physical) {
  std::string settings;
  for (std::size_t ordinal = 0; ordinal < physical.size(); ++ordinal)
    settings +=
        fmt::format(";device.{}.uuid={}", physical[ordinal], uuid_of(static_cast<int>(ordinal)));
  return settings;
}

// On ROCm one variable may list what another one has left.
std::map<std::string, std::optional<std::string>> draw_variables(Draw& draw,
                                                                 const std::vector<int>& physical) {
  if (!is_rocm()) {
    if (draw.flip()) return {{"CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(physical, ","))}};
    std::vector<std::string> uuids;
    for (int ordinal = 0; ordinal < visible_devices; ++ordinal)
      uuids.push_back(uuid_of(ordinal));
    return {{"CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(uuids, ","))}};
  }
  switch (draw.below(3)) {
    case 0:
      return {{"HIP_VISIBLE_DEVICES", fmt::format("{}", fmt::join(physical, ","))}};
    case 1:
      return {{"ROCR_VISIBLE_DEVICES", fmt::format("{}", fmt::join(physical, ","))}};
    default: {
      const std::vector<int> backwards{physical.rbegin(), physical.rend()};
      return {{"ROCR_VISIBLE_DEVICES", fmt::format("{}", fmt::join(backwards, ","))},
              {"HIP_VISIBLE_DEVICES", "1,0"}};
    }
  }
}

}  // namespace

Check in_own_process(Check check) {
  check.isolation = Isolation::process_per_case;
  return check;
}

Environment HiddenDevices::arranged(Case& c, const std::vector<int>& physical) {
  const int machine = std::ranges::max(physical) + 1;
  return {.variables = draw_variables(c.draw, physical),
          .management_settings = fmt::format("devices={}{}", machine, settings_of(physical)),
          .devices = visible_devices};
}

HiddenDevices::HiddenDevices(Case& c)
    : physical_{draw_physical(c.draw)}, environment_{c, arranged(c, physical_)} {}

}  // namespace dlcert::testbench
