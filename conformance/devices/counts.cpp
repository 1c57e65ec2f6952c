// SPDX-License-Identifier: Apache-2.0
//
// How many devices there are, while the management library works.
#include <algorithm>
#include <array>

#include "devices/support.hpp"
#include "generators/vectors.hpp"
#include "generators/visible_devices.hpp"
#include "registration.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(counts)

namespace {

using testbench::ChildEnd;
using testbench::in_forked_child;
using testbench::set_variable;
using vectors::VisibleRow;

// ---- known values, all of them with each number of devices ----

constexpr std::array numbers_of_devices{0, 1, 2, 4, 8};

enum class Answer : std::uint8_t { of_ordinals, of_identifiers, none, of_runtime };

Answer answer_of(const VisibleRow& row) {
  if (row.devices.empty()) return Answer::none;
  if (row.counts.begin()->second < 0) return Answer::of_runtime;
  return row.value && row.value->starts_with("GPU-") ? Answer::of_identifiers : Answer::of_ordinals;
}

std::string machine_of(int devices) {
  const auto uuids = vectors::visible_uuids();
  return settings_of(uuids.first(static_cast<std::size_t>(devices)));
}

// One row for each number of devices. The values are read here, so that no case has to.
std::size_t machines() {
  (void)vectors::visible_rows(false);
  return numbers_of_devices.size();
}

// In one process: each call follows the environment of its moment.
void expect_counts(const Case& c, Answer answer) {
  const int devices = numbers_of_devices[c.row];
  const ArrangedEnvironment arranged{
      c, {.management_settings = machine_of(devices), .devices = runtime_devices}};
  bool seen = false;
  for (const VisibleRow& row : vectors::visible_rows(is_rocm())) {
    if (answer_of(row) != answer || row.has_sign_only) continue;
    set_variable(visible_variable(), row.value);
    const std::int64_t expected =
        answer == Answer::of_runtime ? runtime_devices : row.counts.at(devices);
    expect_count(fmt::format("devices of {:?}", row.value.value_or("(unset)")), row.value, devices,
                 expected, count_devices(c));
    seen = true;
  }
  if (!seen) throw std::logic_error{"no row"};
}

DLCERT_CHECK(ordinals_count,
             on_both_vendors(device_check("devices.count.truncate-out-of-range",
                                          "ordinals count up to the first that does not exist",
                                          machines))) {
  expect_counts(c, Answer::of_ordinals);
}

DLCERT_CHECK(identifiers_count,
             on_cuda(device_check("devices.count.uuid-list",
                                  "identifiers count as the devices that they name", machines))) {
  expect_counts(c, Answer::of_identifiers);
}

DLCERT_CHECK(empty_list_counts_0,
             on_both_vendors(device_check("devices.count.empty-list-zero", "an empty list counts 0",
                                          machines))) {
  expect_counts(c, Answer::none);
}

DLCERT_CHECK(runtime_counts_what_is_not_resolved,
             on_both_vendors(device_check(
                 "devices.count.mig-and-hip-strings",
                 "the runtime counts what the management library does not resolve", machines))) {
  expect_counts(c, Answer::of_runtime);
}

DLCERT_CHECK(ordinals_count_up_to_the_first_missing,
             if_touched(on_both_vendors(
                 device_check("devices.count.truncate-out-of-range",
                              "drawn ordinals count up to the first that does not exist")))) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, numbers_of_devices.back());
  const std::int64_t devices = c.draw.between(0, numbers_of_devices.back() - 1);
  const ArrangedEnvironment arranged{c,
                                     {.variables = {{visible_variable(), visible_value(entries)}},
                                      .management_settings = fmt::format("devices={}", devices),
                                      .devices = runtime_devices}};
  const auto missing = std::ranges::find_if(
      entries, [&](const std::string& ordinal) { return std::stoll(ordinal) >= devices; });
  if (missing != entries.end()) c.touched();
  expect_count(fmt::format("of {} devices, those of {}", devices, visible_value(entries)),
               visible_value(entries), devices, missing - entries.begin(), count_devices(c));
}

DLCERT_CHECK(management_leaves_identifiers_alone,
             on_both_vendors(device_check(
                 "devices.count.mig-and-hip-strings",
                 "the management library leaves such identifiers to the runtime", 3))) {
  const std::array<std::string_view, 3> on_cuda{"MIG-89c850dc", "MIG-a,MIG-b",
                                                "MIG-a,GPU-8932f937-d"};
  const std::array<std::string_view, 3> on_rocm{"GPU-8932f937-d", "GPU-8", "MIG-89c850dc"};
  const bool rocm = std::string_view{visible_variable()} == "HIP_VISIBLE_DEVICES";
  const std::string value{(rocm ? on_rocm : on_cuda).at(c.row)};
  const ArrangedEnvironment arranged{
      c, {.variables = {{visible_variable(), value}}, .management_settings = machine_of(8)}};
  const std::int64_t found =
      require(GpuDevices{c.subject()}.management_device_count(), "management_device_count");
  expect(found < 0, "devices of {:?} by the management library: expected -1 but found {}", value,
         found);
}

constexpr std::array many_devices{1, 3, 63, 64, 65};

DLCERT_CHECK(
    without_the_variable_all_count,
    on_both_vendors(device_check("devices.visible.unset-default",
                                 "without the variable the devices that exist count, to 64",
                                 many_devices.size()))) {
  const int devices = many_devices[c.row];
  const ArrangedEnvironment arranged{c,
                                     {.management_settings = fmt::format("devices={}", devices)}};
  expect_equal("devices", std::int64_t{std::min(devices, 64)}, count_devices(c));
}

// ---- what is asked ----

DLCERT_CHECK(
    management_is_asked_first,
    on_both_vendors(device_check("devices.count.mgmt-first",
                                 "counting asks the management library and not the runtime"))) {
  const auto devices = static_cast<int>(c.draw.between(1, 6));
  const VisibleEntries entries = draw_ordinal_list(c.draw, devices);
  ArrangedEnvironment arranged{c,
                               {.variables = {{visible_variable(), visible_value(entries)}},
                                .management_settings = fmt::format("devices={}", devices),
                                .devices = runtime_devices}};
  expect_equal("devices", static_cast<std::int64_t>(entries.size()), count_devices(c));
  const auto calls = arranged.runtime_calls();
  expect(calls.empty(), "calls of the driver while devices are counted: expected none but found {}",
         calls.empty() ? "" : calls.front().function);
}

DLCERT_CHECK(counting_leaves_children_their_runtime,
             on_both_vendors(device_check("devices.count.mgmt-first",
                                          "a child forked after counting can initialize", 1))) {
  const ArrangedEnvironment arranged{c, {}};
  count_devices(c);
  const ChildEnd child = in_forked_child([&] {
    require(GpuRuntime{c.subject()}.initialize(), "initialize in a forked child");
    return std::string{"initialized"};
  });
  owned_by("runtime.fork.bad-fork", [&] {
    expect(child.answered && child.answer == "initialized",
           "a child that was forked after devices were counted: expected it to initialize but "
           "found that it {}",
           child.answered ? "failed: " + child.answer : child.death);
  });
}

DLCERT_CHECK(empty_list_asks_nobody,
             on_both_vendors(device_check("devices.count.empty-list-zero",
                                          "an empty list asks no library", 5))) {
  const std::array<std::string_view, 5> values{"", "0,0", "-1", "NoDevFiles", "GPU-a,GPU-a"};
  ArrangedEnvironment arranged{
      c, {.variables = {{visible_variable(), std::string{values.at(c.row)}}}}};
  expect_equal("devices", std::int64_t{0}, count_devices(c));
  const auto management = arranged.management_calls();
  expect(management.empty(), "calls of the management library: expected none but found {}",
         to_text(management));
  const auto calls = arranged.runtime_calls();
  owned_by("devices.count.mgmt-first", [&] {
    expect(calls.empty(), "calls of the driver: expected none but found {}",
           calls.empty() ? "" : calls.front().function);
  });
}

DLCERT_CHECK(build_without_gpu_has_no_device,
             on_both_vendors(device_check("devices.count.not-compiled",
                                          "a build without GPU support has no device and no error",
                                          1))) {
  const ArrangedEnvironment arranged{c, {.build = Build{.gpu = false}}};
  expect_equal("devices", std::int64_t{0}, count_devices(c));
  expect_equal("availability", false,
               require(GpuDevices{c.subject()}.is_available(), "is_available"));
}

// ---- when it is kept ----

std::int64_t count_with(const Case& c, const std::string& value) {
  set_variable(visible_variable(), value);
  return count_devices(c);
}

DLCERT_CHECK(count_follows_the_environment_before_initialization,
             if_touched(on_both_vendors(
                 device_check("devices.count.caching",
                              "before initialization each count follows the environment")))) {
  constexpr int devices = 4;
  const auto first = draw_ordinal_list(c.draw, devices, 2);
  auto second = draw_ordinal_list(c.draw, devices);
  if (second.size() == first.size()) second.pop_back();
  c.touched();
  const ArrangedEnvironment arranged{c, {.devices = devices}};
  for (const VisibleEntries& entries : {first, second})
    expect_equal(fmt::format("devices of {}", visible_value(entries)),
                 static_cast<std::int64_t>(entries.size()), count_with(c, visible_value(entries)));
}

DLCERT_CHECK(first_count_after_initialization_is_kept,
             on_both_vendors(device_check("devices.count.caching",
                                          "the first count after initialization is kept", 1))) {
  const ArrangedEnvironment arranged{c, {.devices = 4}};
  expect_equal("devices before initialization", std::int64_t{1}, count_with(c, "0"));
  set_variable(visible_variable(), std::nullopt);
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  expect_equal("devices at the first call after it", std::int64_t{2}, count_with(c, "0,1"));
  expect_equal("devices at the second call, with another list", std::int64_t{2},
               count_with(c, "0,1,2"));
}

DLCERT_CHECK(count_during_initialization_is_not_kept,
             on_both_vendors(device_check("devices.count.caching",
                                          "a count during initialization is not kept", 1))) {
  const ArrangedEnvironment arranged{c, {.devices = 4}};
  const GpuRuntime runtime{c.subject()};
  std::int64_t during = -1;
  const auto call = [&]() -> std::optional<Error> {
    during = count_with(c, "0");
    return std::nullopt;
  };
  require(runtime.queue(DLCERT_CALL_PLAIN, call), "queue");
  require(runtime.initialize(), "initialize");
  expect_equal("devices during initialization", std::int64_t{1}, during);
  expect_equal("devices at the first call after it", std::int64_t{2}, count_with(c, "0,1"));
}

}  // namespace
}  // namespace dlcert::devices
