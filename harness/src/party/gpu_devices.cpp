// SPDX-License-Identifier: Apache-2.0
//
// A party's calls about devices.
#include <dlcert/suite/gpu_party.hpp>

#include "party/gpu_calls.hpp"

namespace dlcert {

namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  out.reserve(texts.size());
  for (const std::string& text : texts)
    out.push_back(text.c_str());
  return out;
}

}  // namespace

std::string to_text(const Capability& capability) {
  return fmt::format("({}, {})", capability.major, capability.minor);
}

Outcome<std::vector<std::string>> GpuDevices::visible_devices() const {
  Act act{[&] { return shown(fmt::format("{}.visible_devices()", label())); }};
  Texts out;
  const dlcert_text_list list = out.list();
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::devices), act,
      &dlcert_devices_group::visible_devices,
      [&](auto function, dlcert_error* failure) { return function(self(), &list, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("[{}]", fmt::join(out.texts, ", ")); });
  return std::move(out.texts);
}

Outcome<std::int64_t> GpuDevices::raw_device_count() const {
  Act act{[&] { return shown(fmt::format("{}.raw_device_count()", label())); }};
  std::int64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::devices), act,
      &dlcert_devices_group::raw_device_count,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::optional<std::vector<std::string>>> GpuDevices::raw_device_uuids() const {
  Act act{[&] { return shown(fmt::format("{}.raw_device_uuids()", label())); }};
  Texts out;
  const dlcert_text_list list = out.list();
  std::int32_t known = 0;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::raw_device_uuids, [&](auto function, dlcert_error* failure) {
                return function(self(), &list, &known, failure);
              });
  if (error) return *error;
  act.answered([&] {
    return known != 0 ? fmt::format("[{}]", fmt::join(out.texts, ", ")) : std::string{"no list"};
  });
  return known != 0 ? std::optional{std::move(out.texts)} : std::nullopt;
}

Outcome<std::vector<std::int64_t>> GpuDevices::uuids_to_ordinals(
    const std::vector<std::string>& identifiers, const std::vector<std::string>& uuids) const {
  Act act{[&] {
    return shown(fmt::format("{}.uuids_to_ordinals([{}] among [{}])", label(),
                             fmt::join(identifiers, ", "), fmt::join(uuids, ", ")));
  }};
  const std::vector<const char*> wanted = pointers(identifiers);
  const std::vector<const char*> known = pointers(uuids);
  Numbers out;
  const dlcert_number_list list = out.list();
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::uuids_to_ordinals, [&](auto function, dlcert_error* failure) {
                return function(self(), dlcert_texts{wanted.data(), wanted.size()},
                                dlcert_texts{known.data(), known.size()}, &list, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out.numbers); });
  return std::move(out.numbers);
}

Outcome<std::int64_t> GpuDevices::management_device_count() const {
  Act act{[&] { return shown(fmt::format("{}.management_device_count()", label())); }};
  std::int64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::devices), act,
      &dlcert_devices_group::management_device_count,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::int64_t> GpuDevices::device_count() const {
  Act act{[&] { return shown(fmt::format("{}.device_count()", label())); }};
  std::int64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::devices), act, &dlcert_devices_group::device_count,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<bool> GpuDevices::is_available() const {
  Act act{[&] { return shown(fmt::format("{}.is_available()", label())); }};
  std::int32_t out = 0;
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::devices), act, &dlcert_devices_group::is_available,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return dlcert::to_text(out != 0); });
  return out != 0;
}

Outcome<std::int64_t> GpuDevices::management_index(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.management_index({})", label(), to_text(device))); }};
  std::int64_t out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::management_index, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::int64_t> GpuDevices::device_index(const dlcert_value& device, bool optional) const {
  Act act{[&] {
    return shown(
        fmt::format("{}.device_index({}, optional={})", label(), to_text(device), optional));
  }};
  std::int64_t out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::device_index, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, optional ? 1 : 0, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::string> GpuDevices::device_name(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.device_name({})", label(), to_text(device))); }};
  Texts out;
  const dlcert_text_list list = out.list();
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::device_name, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &list, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", fmt::join(out.texts, ", ")); });
  return out.only("device_name");
}

Outcome<Capability> GpuDevices::device_capability(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.device_capability({})", label(), to_text(device))); }};
  Capability out;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::device_capability, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out.major, &out.minor, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("({}, {})", out.major, out.minor); });
  return out;
}

Outcome<dlcert_device_properties> GpuDevices::device_properties(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.device_properties({})", label(), to_text(device))); }};
  dlcert_device_properties out{};
  out.struct_size = sizeof(out);
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::device_properties, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  return out;
}

Outcome<bool> GpuDevices::can_access_peer(const dlcert_value& device,
                                          const dlcert_value& peer) const {
  Act act{[&] {
    return shown(
        fmt::format("{}.can_access_peer({}, {})", label(), to_text(device), to_text(peer)));
  }};
  std::int32_t out = 0;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::devices), act,
              &dlcert_devices_group::can_access_peer, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &peer, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return dlcert::to_text(out != 0); });
  return out != 0;
}

}  // namespace dlcert
