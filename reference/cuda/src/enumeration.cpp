// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/enumeration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {
namespace {

bool is_identifier(const VisibleDevice& device) {
  return std::holds_alternative<std::string>(device);
}

std::string_view identifier(const VisibleDevice& device) {
  return std::get<std::string>(device);
}

VisibleDevices to_devices(std::vector<Ordinal> ordinals) {
  return {std::make_move_iterator(ordinals.begin()), std::make_move_iterator(ordinals.end())};
}

}  // namespace

InitializationState::~InitializationState() = default;

Enumeration::Enumeration(const Build& build, const VisibleDeviceRules& rules,
                         Management& management, InitializationState& state, WarningSink warn)
    : build_{build},
      rules_{rules},
      management_{management},
      state_{state},
      warn_{std::move(warn)} {}

Enumeration::~Enumeration() = default;

// ---- the count ----

std::int64_t Enumeration::device_count() {
  if (!build_.gpu) return 0;
  if (const std::int64_t cached = cached_count_; cached >= 0) return cached;
  const std::int64_t managed = management_device_count();
  const std::int64_t count = managed < 0 ? runtime_device_count() : managed;
  if (may_cache()) cached_count_ = count;
  return count;
}

bool Enumeration::may_cache() const {
  return state_.initialized();
}

bool Enumeration::is_available() {
  if (!build_.gpu) return false;
  const bool asks_management = rules_.variable("PYTORCH_NVML_BASED_CUDA_CHECK") == "1";
  return (asks_management ? device_count() : runtime_device_count()) > 0;
}

std::int64_t Enumeration::management_device_count() {
  const VisibleDevices visible = devices_or_throw(rules_.visible_devices());
  if (visible.empty()) return 0;
  if (is_identifier(visible.front())) return count_of_identifiers(visible);
  const std::int64_t raw = raw_device_count();
  return raw <= 0 ? raw : existing(visible, raw);
}

std::int64_t Enumeration::count_of_identifiers(const VisibleDevices& identifiers) {
  if (!resolves_identifier(identifier(identifiers.front()))) return -1;
  const auto uuids = raw_device_uuids();
  if (!uuids) return -1;
  return static_cast<std::int64_t>(uuids_to_ordinals(identifiers, *uuids).size());
}

std::int64_t Enumeration::existing(const VisibleDevices& ordinals, std::int64_t raw) const {
  const auto end = std::ranges::find_if(ordinals, [raw](const VisibleDevice& device) {
    return std::get<Ordinal>(device).value() >= static_cast<std::uint64_t>(raw);
  });
  return end - ordinals.begin();
}

std::int64_t Enumeration::runtime_device_count() {
  state_.before_runtime_call();
  int count = 0;
  const driver::Status status = ask_runtime(count);
  if (status == driver::Status::success) return count;
  const auto warning = warning_of_runtime(status);
  if (warning && !has_warned_of_runtime_.exchange(true)) warn_("CUDA initialization: " + *warning);
  return 0;
}

std::optional<std::string> Enumeration::warning_of_runtime(driver::Status status) {
  if (status == driver::Status::no_device) return std::nullopt;
  if (status != driver::Status::insufficient_driver)
    return fmt::format("{} (error {})", driver::status_text(vendor(), status),
                       static_cast<int>(status));
  const int version = driver_version();
  if (version <= 0) return std::nullopt;
  return too_old_driver(vendor(), version);
}

int Enumeration::driver_version() {
  return driver::driver().driver_version();
}

driver::Status Enumeration::ask_runtime(int& count) {
  driver::Driver& runtime = driver::driver();
  const driver::Status status = runtime.device_count(count);
  if (status != driver::Status::success) static_cast<void>(runtime.take_error());
  return status;
}

// ---- the management library ----

std::int64_t Enumeration::raw_device_count() {
  if (vendor() == driver::Vendor::rocm && build_.management_module != ManagementModule::present)
    return -1;
  try {
    management_.initialize();
    return management_.device_count();
  } catch (const ManagementError& error) {
    report(error);
    return -1;
  }
}

std::optional<std::vector<std::string>> Enumeration::raw_device_uuids() {
  if (vendor() == driver::Vendor::rocm && build_.management_module != ManagementModule::present)
    return std::nullopt;
  try {
    management_.initialize();
    return management_.uuids();
  } catch (const ManagementError& error) {
    report(error);
    return std::nullopt;
  }
}

void Enumeration::report(const ManagementError& error) const {
  if (const auto warning = warning_of(error)) warn_(*warning);
}

std::optional<std::string> Enumeration::warning_of(const ManagementError& error) const {
  const bool is_rocm = vendor() == driver::Vendor::rocm;
  const auto with_cause = [&](const char* what) {
    return fmt::format("{} ({})", what, error.what());
  };
  switch (error.step()) {
    case ManagementStep::load:
    case ManagementStep::symbol:
      return std::nullopt;
    case ManagementStep::initialization:
      return with_cause(is_rocm ? "Can't initialize amdsmi" : "Can't initialize NVML");
    case ManagementStep::count:
      return with_cause("Can't get nvml device count");
    case ManagementStep::handle:
      return with_cause(is_rocm ? "Can't get amd device handler" : "Can't get device handle");
    case ManagementStep::uuid:
      return with_cause(is_rocm ? "Can't get uuid for amd device" : "Can't get device UUID");
    case ManagementStep::measurement:
      break;
  }
  return error.what();
}

// ---- identifiers ----

bool Enumeration::resolves_identifier(std::string_view first) const {
  return vendor() == driver::Vendor::cuda && !first.starts_with("MIG-");
}

std::string Enumeration::matched_part(std::string_view candidate) const {
  return std::string{candidate};
}

bool Enumeration::matches(std::string_view uuid, std::string_view part) const {
  return uuid.starts_with(part);
}

std::vector<Ordinal> Enumeration::uuids_to_ordinals(std::span<const VisibleDevice> candidates,
                                                    std::span<const std::string> uuids) const {
  std::vector<Ordinal> ordinals;
  for (const VisibleDevice& candidate : candidates) {
    const std::string part = matched_part(identifier(candidate));
    const auto is_meant = [&](const std::string& uuid) { return matches(uuid, part); };
    const auto found = std::ranges::find_if(uuids, is_meant);
    if (found == uuids.end() || std::any_of(found + 1, uuids.end(), is_meant)) break;
    const Ordinal ordinal{static_cast<std::uint64_t>(found - uuids.begin())};
    if (std::ranges::find(ordinals, ordinal) != ordinals.end()) return {};
    ordinals.push_back(ordinal);
  }
  return ordinals;
}

std::uint64_t Enumeration::management_index(std::int64_t index) {
  VisibleDevices visible = devices_or_throw(rules_.visible_devices());
  if (visible.empty())
    throw IndexError(
        fmt::format("device {} is not visible ({}=[])", index, rules_.variable_name()));
  if (is_identifier(visible.front())) visible = resolved(visible);
  if (index < 0 || static_cast<std::uint64_t>(index) >= visible.size())
    throw RuntimeError(fmt::format("device {} is not visible ({}={})", index,
                                   rules_.variable_name(), to_text(visible)));
  return std::get<Ordinal>(visible[static_cast<std::size_t>(index)]).value();
}

VisibleDevices Enumeration::resolved(const VisibleDevices& visible) {
  // MIG identifiers too, although no UUID begins with one.
  if (vendor() == driver::Vendor::rocm && !resolves_identifier(identifier(visible.front())))
    throw RuntimeError(fmt::format("{} should be indices and not strings: {}",
                                   rules_.variable_name(), to_text(visible)));
  const auto uuids = raw_device_uuids();
  if (!uuids) throw RuntimeError("Can't get device UUIDs");
  return to_devices(uuids_to_ordinals(visible, *uuids));
}

bool RocmUuidEnumeration::resolves_identifier(std::string_view first) const {
  return !first.starts_with("MIG-");
}

std::string RocmUuidEnumeration::matched_part(std::string_view candidate) const {
  std::string part{candidate};
  if (vendor() != driver::Vendor::rocm) return part;
  constexpr std::string_view prefix = "GPU-";
  if (const std::size_t at = part.find(prefix); at != std::string::npos)
    part.erase(at, prefix.size());
  return part;
}

}  // namespace dlcert::cuda
