// SPDX-License-Identifier: Apache-2.0
//
// Properties of a device, and whether two devices are peers.
#include "devices/support.hpp"
#include "registration.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(properties)

namespace {

using testbench::expect_kind;

constexpr int devices_at_most = 4;

enum class Query : std::uint8_t { properties, name, capability };
constexpr std::array queries{Query::properties, Query::name, Query::capability};
constexpr std::array query_names{"device_properties", "device_name", "device_capability"};
std::string_view name_of(Query query) {
  return query_names[static_cast<std::size_t>(query)];
}

// The error of a query, or nothing.
std::optional<Error> error_of(const Case& c, Query query, const dlcert_value& device) {
  const GpuDevices library{c.subject()};
  const auto error = [](const auto& outcome) {
    return outcome.ok() ? std::nullopt : std::optional{outcome.error()};
  };
  if (query == Query::properties) return error(library.device_properties(device));
  if (query == Query::name) return error(library.device_name(device));
  return error(library.device_capability(device));
}

// Drawn devices, no two of which are alike.
Environment draw_devices(Draw& draw, int at_least = 1) {
  Environment made{.devices = static_cast<int>(draw.between(at_least, devices_at_most))};
  for (int device = 0; device < made.devices; ++device)
    made.models.push_back({.name = fmt::format("Model {}-{}", device, draw.between(0, 999)),
                           .major = static_cast<int>(draw.between(3, 12)),
                           .minor = device});
  return made;
}

std::int64_t draw_index(Draw& draw, const Environment& environment) {
  return draw.between(0, environment.devices - 1);
}

std::int64_t draw_index_out_of_range(Draw& draw, const Environment& environment) {
  return draw.flip() ? -draw.between(1, 3) : environment.devices + draw.between(0, 1000);
}

driver::DeviceProperties by_driver(std::int64_t device) {
  driver::DeviceProperties properties;
  const driver::Status status =
      driver::simulated_driver().properties(static_cast<int>(device), properties);
  if (status != driver::Status::success)
    throw std::logic_error{"properties of a device that is there"};
  return properties;
}

void expect_refused(const Case& c, const std::optional<Error>& error, dlcert_error_kind kind,
                    std::string_view call) {
  expect_refusal(error.has_value(), "{}: expected a refusal but found success", call);
  expect_kind(c.subject(), *error, kind, call);
}

// What refuses all devices refuses the wrong ones too.
void expect_answered(const Case& c, Query query) {
  const std::optional<Error> error = error_of(c, query, integer(0));
  expect_acceptance(!error, "{}: expected success but found {}", name_of(query),
                    error ? dlcert::to_text(*error) : "");
}

// ---- one device ---------------------------------------------------------------------------------

DLCERT_CHECK(query_out_of_range_is_refused,
             on_both_vendors(device_check("devices.properties-range",
                                          "a device that is not there is an AssertionError"))) {
  const Environment environment = draw_devices(c.draw);
  const Query query = c.draw.one_of(queries);
  const std::int64_t index = draw_index_out_of_range(c.draw, environment);
  const ArrangedEnvironment arranged{c, environment};
  expect_refused(c, error_of(c, query, integer(index)), DLCERT_ERROR_ASSERTION,
                 fmt::format("{} of device {} of {}", name_of(query), index, environment.devices));
  expect_answered(c, query);
}

// A management library that counts fewer devices than the runtime has: device_count() believes it.
struct Uncounted {
  Environment environment;
  std::int64_t counted = 0;
  std::int64_t index = 0;  // of a device of the runtime that is not counted
};

Uncounted draw_uncounted(Draw& draw) {
  Uncounted drawn{draw_devices(draw, 2)};
  drawn.counted = draw.between(1, drawn.environment.devices - 1);
  drawn.index = draw.between(drawn.counted, drawn.environment.devices - 1);
  drawn.environment.management_settings = fmt::format("devices={}", drawn.counted);
  return drawn;
}

// Asks behind the judged call: that initializes the runtime, whose devices device_count() may count
// from then on, as torch's does since 2.15. Then the device is within the count.
bool touched_if_not_counted(Case& c, const Uncounted& drawn) {
  const auto counted = require(GpuDevices{c.subject()}.device_count(), "device_count");
  testbench::touched_if(c, counted == drawn.counted,
                        "device_count() does not follow the management library");
  return counted == drawn.counted;
}

DLCERT_CHECK(query_beyond_the_count_is_refused,
             if_touched(on_both_vendors(device_check(
                 "devices.properties-range",
                 "a device beyond device_count() is an AssertionError, even if it is there")))) {
  const Uncounted drawn = draw_uncounted(c.draw);
  const Query query = c.draw.one_of(queries);
  const ArrangedEnvironment arranged{c, drawn.environment};
  const std::optional<Error> error = error_of(c, query, integer(drawn.index));
  if (!touched_if_not_counted(c, drawn)) return;
  expect_refused(c, error, DLCERT_ERROR_ASSERTION,
                 fmt::format("{} of device {} where device_count() is {}", name_of(query),
                             drawn.index, drawn.counted));
  expect_answered(c, query);
}

DLCERT_CHECK(query_of_no_gpu_is_refused,
             on_both_vendors(device_check("devices.properties-range",
                                          "a device that is no GPU is a ValueError"))) {
  constexpr std::array others{"cpu", "cpu:0", "meta", "xpu:7"};
  const Query query = c.draw.one_of(queries);
  const char* const device = c.draw.one_of(others);
  const ArrangedEnvironment arranged{c, {}};
  expect_refused(c, error_of(c, query, text(device)), DLCERT_ERROR_VALUE,
                 fmt::format("{} of {}", name_of(query), device));
  expect_answered(c, query);
}

DLCERT_CHECK(query_initializes,
             on_both_vendors(also_needing(device_check("devices.properties-range",
                                                       "a query initializes the runtime",
                                                       queries.size()),
                                          Can::runtime))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  const Query query = queries[c.row];
  expect_answered(c, query);
  expect_equal(fmt::format("is_initialized after {}", name_of(query)), true,
               require(runtime.is_initialized(), "is_initialized"));
}

// The device that None or an index means, and that argument.
struct Meant {
  dlcert_value argument = none();
  std::int64_t index = 0;
};

// None after another device was made current, or an index.
Meant draw_meant(Case& c, const Environment& environment) {
  const std::int64_t index = draw_index(c.draw, environment);
  return c.draw.flip() ? Meant{none(), index} : Meant{integer(index), index};
}

void make_current_if_none(const Case& c, const Meant& meant) {
  if (meant.argument.tag == DLCERT_NONE && meant.index != 0)
    require(GpuRuntime{c.subject()}.set_device(integer(meant.index)), "set_device");
}

DLCERT_CHECK(
    properties_are_those_of_the_runtime,
    on_both_vendors(device_check("devices.properties-range",
                                 "an index, or None for the current device, means that device"))) {
  const Environment environment = draw_devices(c.draw, 2);
  const Meant meant = draw_meant(c, environment);
  const ArrangedEnvironment arranged{c, environment};
  make_current_if_none(c, meant);
  const dlcert_device_properties found =
      require(GpuDevices{c.subject()}.device_properties(meant.argument), "device_properties");
  const driver::DeviceProperties expected = by_driver(meant.index);
  expect_equal("name", expected.name, std::string{found.name});
  expect_equal("capability", Capability{expected.major, expected.minor},
               Capability{found.major, found.minor});
  expect_equal("bytes of memory", expected.total_memory, found.total_memory);
}

DLCERT_CHECK(name_is_that_of_the_properties,
             on_both_vendors(device_check("devices.name-and-capability",
                                          "the name is that in the properties"))) {
  const Environment environment = draw_devices(c.draw, 2);
  const Meant meant = draw_meant(c, environment);
  const ArrangedEnvironment arranged{c, environment};
  make_current_if_none(c, meant);
  expect_equal("device_name", by_driver(meant.index).name,
               require(GpuDevices{c.subject()}.device_name(meant.argument), "device_name"));
}

DLCERT_CHECK(
    capability_is_that_of_the_properties,
    on_both_vendors(device_check("devices.name-and-capability",
                                 "the capability is the major and minor of the properties"))) {
  const Environment environment = draw_devices(c.draw, 2);
  const Meant meant = draw_meant(c, environment);
  const ArrangedEnvironment arranged{c, environment};
  make_current_if_none(c, meant);
  const driver::DeviceProperties expected = by_driver(meant.index);
  expect_equal(
      "device_capability", Capability{expected.major, expected.minor},
      require(GpuDevices{c.subject()}.device_capability(meant.argument), "device_capability"));
}

// ---- two devices --------------------------------------------------------------------------------

std::optional<Error> error_of_peers(const Case& c, const dlcert_value& device,
                                    const dlcert_value& peer) {
  const Outcome<bool> outcome = GpuDevices{c.subject()}.can_access_peer(device, peer);
  return outcome.ok() ? std::nullopt : std::optional{outcome.error()};
}

void expect_peers_told(const Case& c, std::int64_t device) {
  require(GpuDevices{c.subject()}.can_access_peer(integer(device), integer(device)),
          fmt::format("can_access_peer({0}, {0})", device));
}

DLCERT_CHECK(device_without_peers_is_refused,
             on_both_vendors(device_check("devices.peer-access",
                                          "a device that is not there has no peers"))) {
  const Environment environment = draw_devices(c.draw);
  const std::int64_t there = draw_index(c.draw, environment);
  const std::int64_t not_there = draw_index_out_of_range(c.draw, environment);
  const bool first = c.draw.flip();
  const ArrangedEnvironment arranged{c, environment};
  expect_refused(
      c, error_of_peers(c, integer(first ? not_there : there), integer(first ? there : not_there)),
      DLCERT_ERROR_ASSERTION,
      fmt::format("can_access_peer({}, {}) with {} devices", first ? not_there : there,
                  first ? there : not_there, environment.devices));
  expect_peers_told(c, there);
}

DLCERT_CHECK(peer_beyond_the_count_is_refused,
             if_touched(on_both_vendors(device_check(
                 "devices.peer-access",
                 "a device beyond device_count() has no peers, even if it is there")))) {
  const Uncounted drawn = draw_uncounted(c.draw);
  const bool first = c.draw.flip();
  const ArrangedEnvironment arranged{c, drawn.environment};
  const std::optional<Error> error =
      error_of_peers(c, integer(first ? drawn.index : 0), integer(first ? 0 : drawn.index));
  if (!touched_if_not_counted(c, drawn)) return;
  expect_refused(c, error, DLCERT_ERROR_ASSERTION,
                 fmt::format("can_access_peer({}, {}) where device_count() is {}",
                             first ? drawn.index : 0, first ? 0 : drawn.index, drawn.counted));
  expect_peers_told(c, 0);
}

DLCERT_CHECK(peer_of_none_is_refused,
             on_both_vendors(device_check("devices.peer-access", "None is no peer"))) {
  const Environment environment = draw_devices(c.draw);
  const std::int64_t index = draw_index(c.draw, environment);
  const ArrangedEnvironment arranged{c, environment};
  expect_refused(c, error_of_peers(c, integer(index), none()), DLCERT_ERROR_VALUE,
                 fmt::format("can_access_peer({}, None)", index));
  expect_peers_told(c, index);
}

// Each pair can or cannot, in each direction on its own.
Environment draw_peers(Draw& draw) {
  Environment made = draw_devices(draw, 2);
  for (int device = 0; device < made.devices; ++device)
    for (int peer = 0; peer < made.devices; ++peer)
      if (device != peer && draw.flip()) made.without_peer_access.emplace_back(device, peer);
  return made;
}

DLCERT_CHECK(
    peers_are_those_of_the_runtime,
    on_both_vendors(device_check("devices.peer-access",
                                 "whether two devices are peers is what the runtime says"))) {
  const Environment environment = draw_peers(c.draw);
  const Meant device = draw_meant(c, environment);
  const std::int64_t peer = draw_index(c.draw, environment);
  const ArrangedEnvironment arranged{c, environment};
  make_current_if_none(c, device);
  bool expected = false;
  const driver::Status status = driver::simulated_driver().can_access_peer(
      static_cast<int>(device.index), static_cast<int>(peer), expected);
  if (status != driver::Status::success) throw std::logic_error{"peers of devices that are there"};
  expect_equal(fmt::format("can_access_peer({}, {})", dlcert::to_text(device.argument), peer),
               expected,
               require(GpuDevices{c.subject()}.can_access_peer(device.argument, integer(peer)),
                       "can_access_peer"));
}

}  // namespace
}  // namespace dlcert::devices
