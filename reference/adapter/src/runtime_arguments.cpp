// SPDX-License-Identifier: Apache-2.0
#include "runtime_arguments.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include <dlcert/adapter.hpp>

namespace dlcert::reference {
namespace {

struct NamedDtype {
  std::string_view name;
  dlcert_dtype dtype;
};

constexpr std::array<NamedDtype, 12> dtypes{{{"uint8", {kDLUInt, 8, 1}},
                                             {"int8", {kDLInt, 8, 1}},
                                             {"int16", {kDLInt, 16, 1}},
                                             {"int32", {kDLInt, 32, 1}},
                                             {"int64", {kDLInt, 64, 1}},
                                             {"float16", {kDLFloat, 16, 1}},
                                             {"bfloat16", {kDLBfloat, 16, 1}},
                                             {"float32", {kDLFloat, 32, 1}},
                                             {"float64", {kDLFloat, 64, 1}},
                                             {"complex64", {kDLComplex, 64, 1}},
                                             {"complex128", {kDLComplex, 128, 1}},
                                             {"bool", {kDLBool, 8, 1}}}};

cuda::ManagementModule management_module_of(std::int32_t bindings) {
  switch (bindings) {
    case DLCERT_BINDINGS_PRESENT:
      return cuda::ManagementModule::present;
    case DLCERT_BINDINGS_MISSING:
      return cuda::ManagementModule::missing;
    case DLCERT_BINDINGS_BROKEN:
      return cuda::ManagementModule::broken;
    default:
      throw adapter::NotFormable{};
  }
}

}  // namespace

cuda::Build build_of(const dlcert_build& build, driver::Vendor vendor) {
  const auto has = [&](std::uint32_t flag) { return (build.flags & flag) != 0; };
  return {
      .gpu = has(DLCERT_BUILD_GPU),
      .runtime_bindings = has(DLCERT_BUILD_RUNTIME_BINDINGS),
      .magma = has(DLCERT_BUILD_LINEAR_ALGEBRA),
      .vendor = vendor,
      .management_module = management_module_of(build.management_bindings),
      .architecture_flags = build.architecture_flags == nullptr ? "" : build.architecture_flags};
}

cuda::Stream stream_of(const dlcert_runtime_stream& stream) {
  return {.id = stream.id,
          .device_index = stream.device_index,
          .device_type = static_cast<int>(stream.device_type),
          .handle = driver::Stream{static_cast<std::uintptr_t>(stream.handle)}};
}

dlcert_runtime_stream stream_of(const cuda::Stream& stream) {
  return {.id = stream.id,
          .device_index = stream.device_index,
          .device_type = stream.device_type,
          .handle = static_cast<std::uint64_t>(stream.handle)};
}

dlcert_dtype dtype_named(std::string_view name) {
  const auto* const found = std::ranges::find(dtypes, name, &NamedDtype::name);
  if (found == dtypes.end()) throw std::out_of_range("unknown dtype " + std::string{name});
  return found->dtype;
}

}  // namespace dlcert::reference
