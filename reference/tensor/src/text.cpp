// SPDX-License-Identifier: Apache-2.0
//
// Values as they stand in messages.

#include <fmt/format.h>

#include <type_traits>

#include "dlcert/tensor/device.hpp"
#include "dlcert/tensor/request.hpp"

namespace dlcert::reference {
namespace {

std::string text_of(Absent) {
  return "nothing";
}
std::string text_of(None) {
  return "none";
}
std::string text_of(const std::pair<std::int64_t, std::int64_t>& value) {
  return fmt::format("({}, {})", value.first, value.second);
}
std::string text_of(std::string_view value) {
  return fmt::format("'{}'", value);
}
template <class Value>
std::string text_of(Value value) {
  return fmt::to_string(value);
}

}  // namespace

std::string to_string(DLDevice device) {
  const auto type = static_cast<std::underlying_type_t<DLDeviceType>>(device.device_type);
  return text_of(std::pair<std::int64_t, std::int64_t>(type, device.device_id));
}

std::string to_string(const Argument& argument) {
  return std::visit([](const auto& value) { return text_of(value); }, argument);
}

}  // namespace dlcert::reference
