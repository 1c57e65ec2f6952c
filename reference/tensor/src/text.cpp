// SPDX-License-Identifier: Apache-2.0
//
// Values as they stand in messages.

#include <array>
#include <charconv>
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
std::string text_of(bool value) {
  return value ? "true" : "false";
}
std::string text_of(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of(std::pair<std::int64_t, std::int64_t> value) {
  std::string text = "(";
  text += std::to_string(value.first);
  text += ", ";
  text += std::to_string(value.second);
  return text += ")";
}
std::string text_of(double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? std::string(digits.data(), end) : "a float";
}
std::string text_of(std::string_view value) {
  return std::string("'").append(value).append("'");
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
