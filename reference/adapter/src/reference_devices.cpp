// SPDX-License-Identifier: Apache-2.0
#include "dlcert/reference_devices.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "dlcert/cuda/visible_device_policies.hpp"
#include "dlcert/driver/select.hpp"
#include "dlcert/driver/status.hpp"

#include "gpu_arguments.hpp"
#include "gpu_errors.hpp"

namespace dlcert::reference {
namespace {

std::string text_of(const cuda::VisibleDevice& device) {
  return std::visit(
      [](const auto& named) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(named)>, cuda::Ordinal>)
          return named.digits();
        else
          return named;
      },
      device);
}

// Large where the reference's number is larger than the ABI's.
std::int64_t signed_value(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
}

}  // namespace

std::unique_ptr<cuda::VisibleDeviceRules> ReferenceParts::rules(const cuda::Build& build) const {
  return std::make_unique<cuda::SignOnlyEnds<cuda::VisibleDeviceRules>>(build.vendor);
}

ReferenceDevices::ReferenceDevices(std::unique_ptr<cuda::PartsFactory> parts)
    : parts_{std::move(parts)} {}

ReferenceDevices::~ReferenceDevices() {
  delete library_.load();
}

void ReferenceDevices::open(const dlcert_host& host) {
  host_ = &host;
}

void ReferenceDevices::warn(const std::string& message) const {
  if (host_ != nullptr) host_->warn(host_->context, "UserWarning", message.c_str());
}

// ---- the library ----

std::unique_ptr<cuda::Cuda> ReferenceDevices::make(const cuda::Build& build) const {
  return std::make_unique<cuda::Cuda>(
      build, [this](const std::string& message) { warn(message); }, *parts_);
}

cuda::Cuda& ReferenceDevices::library() {
  if (cuda::Cuda* const made = library_) return *made;
  std::unique_ptr<cuda::Cuda> made = make({.vendor = driver::driver().vendor()});
  cuda::Cuda* present = nullptr;
  if (!library_.compare_exchange_strong(present, made.get())) return *present;
  return *made.release();
}

void ReferenceDevices::rebuild(const cuda::Build& build) {
  delete library_.exchange(make(build).release());
}

// ---- devices ----

std::vector<std::string> ReferenceDevices::visible_devices() {
  return reporting_gpu_errors([&] {
    const cuda::VisibleDevices devices =
        cuda::devices_or_throw(library().rules().visible_devices());
    std::vector<std::string> texts;
    texts.reserve(devices.size());
    std::ranges::transform(devices, std::back_inserter(texts), text_of);
    return texts;
  });
}

std::int64_t ReferenceDevices::raw_device_count() {
  return reporting_gpu_errors([&] { return library().enumeration().raw_device_count(); });
}

std::optional<std::vector<std::string>> ReferenceDevices::raw_device_uuids() {
  return reporting_gpu_errors([&] { return library().enumeration().raw_device_uuids(); });
}

std::vector<std::int64_t> ReferenceDevices::uuids_to_ordinals(
    std::span<const char* const> identifiers, std::span<const char* const> uuids) {
  return reporting_gpu_errors([&] {
    const cuda::VisibleDevices candidates(identifiers.begin(), identifiers.end());
    const std::vector<std::string> known(uuids.begin(), uuids.end());
    std::vector<std::int64_t> ordinals;
    for (const cuda::Ordinal& ordinal :
         library().enumeration().uuids_to_ordinals(candidates, known))
      ordinals.push_back(signed_value(ordinal.value()));
    return ordinals;
  });
}

std::int64_t ReferenceDevices::management_device_count() {
  return reporting_gpu_errors([&] { return library().enumeration().management_device_count(); });
}

std::int64_t ReferenceDevices::device_count() {
  return reporting_gpu_errors([&] { return library().enumeration().device_count(); });
}

bool ReferenceDevices::is_available() {
  return reporting_gpu_errors([&] { return library().enumeration().is_available(); });
}

std::int64_t ReferenceDevices::management_index(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    return signed_value(library().enumeration().management_index(device_index(device, true)));
  });
}

std::int64_t ReferenceDevices::device_index(const dlcert_value& device, bool optional) {
  const auto missing = optional ? cuda::MissingIndex::means_current : cuda::MissingIndex::forbidden;
  return reporting_gpu_errors([&] {
    return cuda::device_index(device_argument_of(device), missing,
                              [this] { return library().devices().current(); });
  });
}

// ---- telemetry ----

dlcert_measurement ReferenceDevices::memory_usage(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    return measurement_of(library().telemetry().memory_usage(device_argument_of(device)));
  });
}

dlcert_measurement ReferenceDevices::utilization(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    return measurement_of(library().telemetry().utilization(device_argument_of(device)));
  });
}

dlcert_measurement ReferenceDevices::temperature(const dlcert_value& device) {
  return reporting_gpu_errors([&] {
    return measurement_of(library().telemetry().temperature(device_argument_of(device)));
  });
}

dlcert_measurement ReferenceDevices::power_draw(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(library().telemetry().power_draw(device_argument_of(device))); });
}

dlcert_measurement ReferenceDevices::clock_rate(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(library().telemetry().clock_rate(device_argument_of(device))); });
}

}  // namespace dlcert::reference
