// SPDX-License-Identifier: Apache-2.0
#include "gpu_arguments.hpp"

#include <dlpack/dlpack.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include <dlcert/adapter_errors.hpp>

namespace dlcert::reference {
namespace {

// PyTorch's name of a DLPack device type.
const char* device_type_name(std::int64_t type) {
  switch (type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
    case kDLROCM:
      return "cuda";
    case kDLOpenCL:
      return "opencl";
    case kDLVulkan:
      return "vulkan";
    case kDLMetal:
      return "mps";
    case kDLExtDev:
      return "privateuseone";
    case kDLOneAPI:
      return "xpu";
    case kDLMAIA:
      return "maia";
    default:
      throw adapter::NotFormable{};
  }
}

cuda::Device device_of(std::int64_t type, std::int64_t index) {
  cuda::Device device{device_type_name(type)};
  if (index == -1) return device;
  if (index < 0 || index > std::numeric_limits<int>::max()) throw adapter::NotFormable{};
  device.index = static_cast<int>(index);
  return device;
}

std::int32_t unit_of(cuda::Unit unit) {
  switch (unit) {
    case cuda::Unit::percent:
      return DLCERT_UNIT_PERCENT;
    case cuda::Unit::mebibytes:
      return DLCERT_UNIT_MEBIBYTES;
    case cuda::Unit::degrees_celsius:
      return DLCERT_UNIT_DEGREES_CELSIUS;
    case cuda::Unit::milliwatts:
      return DLCERT_UNIT_MILLIWATTS;
    case cuda::Unit::watts:
      return DLCERT_UNIT_WATTS;
    case cuda::Unit::megahertz:
      return DLCERT_UNIT_MEGAHERTZ;
  }
  return DLCERT_UNIT_NOT_TOLD;
}

}  // namespace

cuda::DeviceArgument device_argument_of(const dlcert_value& value) {
  switch (value.tag) {
    case DLCERT_ABSENT:
    case DLCERT_NONE:
      return std::monostate{};
    case DLCERT_INT:
    case DLCERT_GUARD:
      return value.first;
    case DLCERT_TEXT:
      return std::string{value.text};
    case DLCERT_PAIR:
      return device_of(value.first, value.second);
    default:
      throw adapter::NotFormable{};
  }
}

dlcert_measurement measurement_of(const cuda::Measurement& measurement) {
  return {measurement.value, unit_of(measurement.unit), 0};
}

}  // namespace dlcert::reference
