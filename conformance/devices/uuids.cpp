// SPDX-License-Identifier: Apache-2.0
//
// UUIDs: what the management library reports, and which devices identifiers stand for.
#include <algorithm>
#include <array>

#include "devices/support.hpp"
#include "generators/vectors.hpp"
#include "generators/visible_devices.hpp"
#include "registration.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(uuids)

namespace {

using vectors::UuidRow;

std::vector<std::int64_t> ordinals_of(const Case& c, const std::vector<std::string>& candidates,
                                      const std::vector<std::string>& uuids) {
  return require(GpuDevices{c.subject()}.uuids_to_ordinals(candidates, uuids), "uuids_to_ordinals");
}

// ---- known lists ----

bool names_a_device(const UuidRow& row, std::size_t candidate) {
  return std::ranges::count_if(row.uuids, [&](const std::string& uuid) {
           return uuid.starts_with(row.candidates[candidate]);
         }) == 1;
}

bool is_about_a_repetition(const UuidRow& row) {
  return row.expected.empty() && !row.candidates.empty() && names_a_device(row, 0);
}

std::vector<const UuidRow*> uuid_rows_about(bool repetition) {
  std::vector<const UuidRow*> rows;
  for (const UuidRow& row : vectors::uuid_rows())
    if (is_about_a_repetition(row) == repetition) rows.push_back(&row);
  return rows;
}

void expect_resolved(const Case& c, const UuidRow& row) {
  const ArrangedEnvironment arranged{c, {}};
  const auto found = ordinals_of(c, row.candidates, row.uuids);
  if (found != row.expected)
    fail_equal(fmt::format("devices of {} among {}", to_text(row.candidates), to_text(row.uuids)),
               dlcert::to_text(row.expected), dlcert::to_text(found));
}

DLCERT_CHECK(identifiers_resolve,
             on_both_vendors(device_check("devices.uuid.transform",
                                          "known identifiers resolve to the devices that they name",
                                          [] { return uuid_rows_about(false).size(); }))) {
  expect_resolved(c, *uuid_rows_about(false)[c.row]);
}

DLCERT_CHECK(
    repeated_identifiers_resolve_to_none,
    on_both_vendors(device_check("devices.uuid.duplicate-empties",
                                 "known identifiers that name a device twice resolve to none",
                                 [] { return uuid_rows_about(true).size(); }))) {
  expect_resolved(c, *uuid_rows_about(true)[c.row]);
}

// ---- drawn ones ----

struct Abbreviated {
  std::vector<std::string> uuids;
  std::size_t device;
  std::string prefix;
  bool is_unique;
};

Abbreviated draw_abbreviated(Case& c) {
  Abbreviated drawn{draw_uuids(c.draw, static_cast<std::size_t>(c.draw.between(1, 8))), 0, {}, {}};
  drawn.device = static_cast<std::size_t>(c.draw.below(drawn.uuids.size()));
  const std::string& uuid = drawn.uuids[drawn.device];
  constexpr std::size_t shortest = 4;  // "GPU-"
  const auto unique_from = unique_prefix_length(drawn.uuids, drawn.device);
  const auto length = shortest + static_cast<std::size_t>(c.draw.below(uuid.size() - shortest + 1));
  drawn.prefix = uuid.substr(0, length);
  drawn.is_unique = unique_from && length >= *unique_from;
  return drawn;
}

DLCERT_CHECK(
    unique_prefix_names_its_device,
    on_both_vendors(device_check("devices.uuid.transform",
                                 "a prefix names a device if no other UUID begins with it"))) {
  const Abbreviated drawn = draw_abbreviated(c);
  const ArrangedEnvironment arranged{c, {}};
  std::vector<std::int64_t> expected;
  if (drawn.is_unique) expected.push_back(static_cast<std::int64_t>(drawn.device));
  expect_equal(fmt::format("devices of {} among {}", drawn.prefix, to_text(drawn.uuids)), expected,
               ordinals_of(c, {drawn.prefix}, drawn.uuids));
}

DLCERT_CHECK(two_names_of_a_device_empty_the_result,
             on_both_vendors(device_check("devices.uuid.duplicate-empties",
                                          "a UUID and its abbreviation resolve to none"))) {
  const Abbreviated drawn = draw_abbreviated(c);
  if (!drawn.is_unique) throw Discard{};
  const std::string& whole = drawn.uuids[drawn.device];
  if (drawn.prefix == whole) throw Discard{};
  const ArrangedEnvironment arranged{c, {}};
  expect_equal(fmt::format("devices of {} and {}", whole, drawn.prefix),
               std::vector<std::int64_t>{}, ordinals_of(c, {whole, drawn.prefix}, drawn.uuids));
}

// ---- what is reported ----

std::string draw_reported_uuid(Case& c, std::size_t device) {
  constexpr std::array<std::string_view, 3> whole{"8932f937-d72c-4106-c12f-20bd9faed9f6",
                                                  "00000000-0000-0000-0000-000000000000",
                                                  "c0ffee00-1234-4567-89ab-cdef01234567"};
  std::string text{c.draw.one_of(whole)};
  text.back() = static_cast<char>('0' + device);
  return text;
}

DLCERT_CHECK(list_has_a_text_for_each_device,
             on_both_vendors(device_check("devices.uuid.raw-list",
                                          "the list has the text of each device, in order"))) {
  const auto devices = static_cast<std::size_t>(c.draw.between(1, 4));
  const bool rocm = std::string_view{visible_variable()} == "HIP_VISIBLE_DEVICES";
  std::vector<std::string> expected;
  for (std::size_t device = 0; device < devices; ++device) {
    const std::string text = draw_reported_uuid(c, device);
    const bool is_short = !rocm && c.draw.flip();
    expected.push_back((rocm ? "" : "GPU-") + (is_short ? text.substr(text.size() - 8) : text));
  }
  const ArrangedEnvironment arranged{c, {.management_settings = settings_of(expected)}};
  const auto found = require(GpuDevices{c.subject()}.raw_device_uuids(), "raw_device_uuids");
  expect(found.has_value(), "UUIDs: expected {} but found no list", to_text(expected));
  if (*found != expected) fail_equal("UUIDs", to_text(expected), to_text(*found));
}

// What bytes beyond ASCII come to is recorded: no rule says.
DLCERT_CHECK(buffer_is_read_as_a_text,
             on_cuda(device_check("devices.uuid.raw-list",
                                  "a buffer of 96 bytes is a text without what pads it",
                                  [] { return vectors::raw_uuid_rows().size(); }))) {
  const vectors::RawUuidRow& row = vectors::raw_uuid_rows()[c.row];
  const ArrangedEnvironment arranged{
      c, {.management_settings = "devices=1;device.0.uuid.bytes=" + row.hex}};
  auto outcome = GpuDevices{c.subject()}.raw_device_uuids();
  if (!row.text)
    return c.observe(outcome.ok() && outcome.value() ? "a UUID that is not ASCII is listed"
                                                     : "a UUID that is not ASCII is no list");
  const auto found = require(outcome, "raw_device_uuids");
  expect(found.has_value() && found->size() == 1, "UUIDs: expected one but found {}",
         found ? to_text(*found) : "no list");
  expect_equal("UUID in the bytes " + row.hex, *row.text, found->front());
}

DLCERT_CHECK(
    failing_query_gives_no_list,
    on_cuda(device_check("devices.uuid.raw-list",
                         "a query that fails at the last device gives no list on CUDA", 2)),
    on_rocm(device_check("devices.uuid.raw-list",
                         "a query that fails at the last device gives no list on ROCm", 1))) {
  const bool rocm = std::string_view{visible_variable()} == "HIP_VISIBLE_DEVICES";
  const std::array<std::string_view, 2> on_cuda{"nvmlDeviceGetUUID:999",
                                                "nvmlDeviceGetHandleByIndex_v2:15"};
  const std::string_view failing = rocm ? "amdsmi_get_gpu_device_uuid:2" : on_cuda.at(c.row);
  const ArrangedEnvironment arranged{
      c, {.management_settings = fmt::format("devices=3;fail={}:3", failing)}};
  const auto found = require(GpuDevices{c.subject()}.raw_device_uuids(), "raw_device_uuids");
  expect(!found.has_value(),
         "UUIDs with {} failing at the last device: expected no list but found {}", failing,
         to_text(found.value_or(std::vector<std::string>{})));
}

}  // namespace
}  // namespace dlcert::devices
