// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/visible_device_policies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "elements.hpp"

namespace dlcert::cuda {
namespace {

std::uint64_t element_count(std::string_view value) {
  return static_cast<std::uint64_t>(std::ranges::count(value, ',')) + 1;
}

}  // namespace

const char* HipFallsBackToCuda::variable_name() const {
  const char* const own = VisibleDeviceRules::variable_name();
  return variable(own) ? own : "CUDA_VISIBLE_DEVICES";
}

ParseResult RocrComposition::visible_devices() const {
  const auto rocr = variable("ROCR_VISIBLE_DEVICES");
  if (vendor() != driver::Vendor::rocm || !rocr) return HipFallsBackToCuda::visible_devices();
  const auto hip = variable("HIP_VISIBLE_DEVICES");
  if (!hip) return first_ordinals(element_count(*rocr));
  if (element_count(*hip) > element_count(*rocr))
    return ParseError{ParseError::Kind::runtime,
                      fmt::format("HIP_VISIBLE_DEVICES contains more devices than "
                                  "ROCR_VISIBLE_DEVICES: '{}' and '{}'",
                                  shortened(*hip), shortened(*rocr))};
  return parse(*hip);
}

}  // namespace dlcert::cuda
