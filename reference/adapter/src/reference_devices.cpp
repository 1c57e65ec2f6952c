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

// The state of a runtime that never initializes.
class NeverInitialized final : public cuda::InitializationState {
 public:
  bool initialized() const override { return false; }
  void before_runtime_call() override {}
};

}  // namespace

struct ReferenceDevices::Parts {
  cuda::Build build;
  std::unique_ptr<cuda::VisibleDeviceRules> rules;
  std::unique_ptr<cuda::Management> management;
  std::unique_ptr<cuda::Enumeration> enumeration;
  std::unique_ptr<cuda::Telemetry> telemetry;
};

ReferenceDevices::ReferenceDevices() = default;
ReferenceDevices::~ReferenceDevices() {
  delete parts_.load();
}

void ReferenceDevices::open(const dlcert_host& host) {
  host_ = &host;
}

void ReferenceDevices::warn(const std::string& message) const {
  if (host_ != nullptr) host_->warn(host_->context, "UserWarning", message.c_str());
}

// ---- the parts ----

cuda::Build ReferenceDevices::default_build() const {
  return {.vendor = driver::driver().vendor()};
}

std::unique_ptr<cuda::VisibleDeviceRules> ReferenceDevices::make_rules(driver::Vendor vendor) {
  return std::make_unique<cuda::SignOnlyEnds<cuda::VisibleDeviceRules>>(vendor);
}

std::unique_ptr<cuda::Management> ReferenceDevices::make_management(driver::Vendor vendor) {
  return cuda::open_management(vendor);
}

std::unique_ptr<cuda::Enumeration> ReferenceDevices::make_enumeration(
    const cuda::Build& build, const cuda::VisibleDeviceRules& rules, cuda::Management& management,
    cuda::InitializationState& state, cuda::WarningSink warn) {
  return std::make_unique<cuda::Enumeration>(build, rules, management, state, std::move(warn));
}

std::unique_ptr<cuda::Telemetry> ReferenceDevices::make_telemetry(const cuda::Build& build,
                                                                  cuda::Enumeration& enumeration,
                                                                  cuda::Management& management,
                                                                  cuda::CurrentDevice current) {
  return std::make_unique<cuda::Telemetry>(build, enumeration, management, std::move(current));
}

cuda::InitializationState& ReferenceDevices::initialization() {
  static NeverInitialized state;
  return state;
}

std::int64_t ReferenceDevices::current_gpu() {
  driver::Driver& runtime = driver::driver();
  int device = 0;
  if (const driver::Status status = runtime.current_device(device);
      status != driver::Status::success)
    throw cuda::CudaError(static_cast<int>(status), driver::status_text(runtime.vendor(), status));
  return device;
}

std::unique_ptr<ReferenceDevices::Parts> ReferenceDevices::make_parts() {
  auto made = std::make_unique<Parts>();
  made->build = chosen_build_ ? *chosen_build_ : default_build();
  made->rules = make_rules(made->build.vendor);
  made->management = make_management(made->build.vendor);
  made->enumeration = make_enumeration(made->build, *made->rules, *made->management,
                                       initialization(), [this](const auto& text) { warn(text); });
  made->telemetry = make_telemetry(made->build, *made->enumeration, *made->management,
                                   [this] { return current_gpu(); });
  return made;
}

ReferenceDevices::Parts& ReferenceDevices::parts() {
  if (Parts* const made = parts_) return *made;
  std::unique_ptr<Parts> made = make_parts();
  Parts* present = nullptr;
  if (!parts_.compare_exchange_strong(present, made.get())) return *present;
  return *made.release();
}

void ReferenceDevices::build_changed(const cuda::Build& build) {
  chosen_build_ = build;
  delete parts_.exchange(nullptr);
}

const cuda::Build& ReferenceDevices::build() {
  return parts().build;
}
cuda::VisibleDeviceRules& ReferenceDevices::rules() {
  return *parts().rules;
}
cuda::Management& ReferenceDevices::management() {
  return *parts().management;
}
cuda::Enumeration& ReferenceDevices::enumeration() {
  return *parts().enumeration;
}
cuda::Telemetry& ReferenceDevices::telemetry() {
  return *parts().telemetry;
}

// ---- devices ----

std::vector<std::string> ReferenceDevices::visible_devices() {
  return reporting_gpu_errors([&] {
    const cuda::VisibleDevices devices = cuda::devices_or_throw(rules().visible_devices());
    std::vector<std::string> texts;
    texts.reserve(devices.size());
    std::ranges::transform(devices, std::back_inserter(texts), text_of);
    return texts;
  });
}

std::int64_t ReferenceDevices::raw_device_count() {
  return reporting_gpu_errors([&] { return enumeration().raw_device_count(); });
}

std::optional<std::vector<std::string>> ReferenceDevices::raw_device_uuids() {
  return reporting_gpu_errors([&] { return enumeration().raw_device_uuids(); });
}

std::vector<std::int64_t> ReferenceDevices::uuids_to_ordinals(
    std::span<const char* const> identifiers, std::span<const char* const> uuids) {
  return reporting_gpu_errors([&] {
    const cuda::VisibleDevices candidates(identifiers.begin(), identifiers.end());
    const std::vector<std::string> known(uuids.begin(), uuids.end());
    std::vector<std::int64_t> ordinals;
    for (const cuda::Ordinal& ordinal : enumeration().uuids_to_ordinals(candidates, known))
      ordinals.push_back(signed_value(ordinal.value()));
    return ordinals;
  });
}

std::int64_t ReferenceDevices::management_device_count() {
  return reporting_gpu_errors([&] { return enumeration().management_device_count(); });
}

std::int64_t ReferenceDevices::device_count() {
  return reporting_gpu_errors([&] { return enumeration().device_count(); });
}

bool ReferenceDevices::is_available() {
  return reporting_gpu_errors([&] { return enumeration().is_available(); });
}

std::int64_t ReferenceDevices::management_index(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return signed_value(enumeration().management_index(device_index(device, true))); });
}

std::int64_t ReferenceDevices::device_index(const dlcert_value& device, bool optional) {
  const auto missing = optional ? cuda::MissingIndex::means_current : cuda::MissingIndex::forbidden;
  return reporting_gpu_errors([&] {
    return cuda::device_index(device_argument_of(device), missing,
                              [this] { return current_gpu(); });
  });
}

// ---- telemetry ----

dlcert_measurement ReferenceDevices::memory_usage(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(telemetry().memory_usage(device_argument_of(device))); });
}

dlcert_measurement ReferenceDevices::utilization(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(telemetry().utilization(device_argument_of(device))); });
}

dlcert_measurement ReferenceDevices::temperature(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(telemetry().temperature(device_argument_of(device))); });
}

dlcert_measurement ReferenceDevices::power_draw(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(telemetry().power_draw(device_argument_of(device))); });
}

dlcert_measurement ReferenceDevices::clock_rate(const dlcert_value& device) {
  return reporting_gpu_errors(
      [&] { return measurement_of(telemetry().clock_rate(device_argument_of(device))); });
}

}  // namespace dlcert::reference
