// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/device_argument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "dlcert/cuda/errors.hpp"

#include "elements.hpp"

namespace dlcert::cuda {
namespace {

using namespace std::string_view_literals;

// Those of torch 2.4. GPUs are "cuda" on ROCm too.
constexpr std::array device_types = {
    "cpu"sv,    "cuda"sv, "ipu"sv,  "xpu"sv,  "mkldnn"sv, "opengl"sv,       "opencl"sv,
    "ideep"sv,  "hip"sv,  "ve"sv,   "fpga"sv, "maia"sv,   "xla"sv,          "lazy"sv,
    "vulkan"sv, "mps"sv,  "meta"sv, "hpu"sv,  "mtia"sv,   "privateuseone"sv};

int parse_index(std::string_view digits, std::string_view text) {
  int index = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, index);
  const bool has_other_form = digits.empty() || digits[0] == '-' ||
                              (digits.size() > 1 && digits[0] == '0') || result.ptr != end;
  if (has_other_form || result.ec != std::errc{})
    throw RuntimeError(fmt::format("invalid device string: '{}'", shortened(text)));
  return index;
}

std::int64_t index_of(const Device& device, MissingIndex missing, const CurrentDevice& current) {
  if (device.type != "cuda")
    throw ValueError(fmt::format("expected a cuda device but found '{}'", to_text(device)));
  if (device.index) return *device.index;
  if (missing == MissingIndex::means_current) return current();
  throw ValueError(fmt::format("expected a device with an index but found '{}'", to_text(device)));
}

}  // namespace

std::string to_text(const Device& device) {
  return device.index ? fmt::format("{}:{}", device.type, *device.index) : device.type;
}

Device parse_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  if (std::ranges::find(device_types, type) == device_types.end())
    throw RuntimeError(fmt::format("expected a device type such as 'cpu' or 'cuda' but found '{}'",
                                   shortened(text)));
  if (colon == std::string_view::npos) return {std::string{type}};
  return {std::string{type}, parse_index(text.substr(colon + 1), text)};
}

std::int64_t device_index(const DeviceArgument& argument, MissingIndex missing,
                          const CurrentDevice& current) {
  if (const auto* index = std::get_if<std::int64_t>(&argument)) return *index;
  if (const auto* text = std::get_if<std::string>(&argument))
    return index_of(parse_device(*text), missing, current);
  if (const auto* device = std::get_if<Device>(&argument))
    return index_of(*device, missing, current);
  if (missing == MissingIndex::means_current) return current();
  throw ValueError("expected a device with an index but found None");
}

}  // namespace dlcert::cuda
