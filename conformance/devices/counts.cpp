// SPDX-License-Identifier: Apache-2.0
//
// How many devices there are, while the management library works.
#include <algorithm>
#include <array>

#include "devices/families.hpp"
#include "devices/support.hpp"
#include "generators/vectors.hpp"
#include "generators/visible_devices.hpp"
#include "testbench/platforms.hpp"

namespace dlcert::devices {

namespace {

using testbench::add_for_both;
using testbench::add_for_cuda;
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

// In one process: each call follows the environment of its moment.
template <Answer answer>
void counts_follow_the_list(Case& c) {
  const int devices = numbers_of_devices[c.row];
  const ArrangedEnvironment arranged{
      c, {.management_settings = machine_of(devices), .devices = runtime_devices}};
  bool seen = false;
  for (const VisibleRow& row : vectors::visible_rows(arranged.is_rocm())) {
    if (answer_of(row) != answer || row.has_sign_only) continue;
    set_variable(visible_variable(), row.value);
    const std::int64_t expected =
        answer == Answer::of_runtime ? runtime_devices : row.counts.at(devices);
    expect_equal(fmt::format("devices of {:?}", row.value.value_or("(unset)")), expected,
                 count_devices(c));
    seen = true;
  }
  if (!seen) throw std::logic_error{"no row"};
}

void ordinals_count_up_to_the_first_missing(Case& c) {
  const VisibleEntries entries = draw_ordinal_list(c.draw, numbers_of_devices.back());
  const std::int64_t devices = c.draw.between(0, numbers_of_devices.back());
  const ArrangedEnvironment arranged{c,
                                     {.variables = {{visible_variable(), visible_value(entries)}},
                                      .management_settings = fmt::format("devices={}", devices),
                                      .devices = runtime_devices}};
  const auto missing = std::ranges::find_if(
      entries, [&](const std::string& ordinal) { return std::stoll(ordinal) >= devices; });
  expect_equal(fmt::format("of {} devices, those of {}", devices, visible_value(entries)),
               static_cast<std::int64_t>(missing - entries.begin()), count_devices(c));
}

void management_leaves_identifiers_alone(Case& c) {
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

void without_the_variable_all_count(Case& c) {
  const int devices = many_devices[c.row];
  const ArrangedEnvironment arranged{c,
                                     {.management_settings = fmt::format("devices={}", devices)}};
  expect_equal("devices", std::int64_t{std::min(devices, 64)}, count_devices(c));
}

// ---- what is asked ----

void management_is_asked_first(Case& c) {
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

void counting_leaves_children_their_runtime(Case& c) {
  const ArrangedEnvironment arranged{c, {}};
  count_devices(c);
  const ChildEnd child = in_forked_child([&] {
    require(GpuRuntime{c.subject()}.initialize(), "initialize in a forked child");
    return std::string{"initialized"};
  });
  expect(child.answered && child.answer == "initialized",
         "a child that was forked after devices were counted: expected it to initialize but found "
         "that it {}",
         child.answered ? "failed: " + child.answer : child.death);
}

void empty_list_asks_nobody(Case& c) {
  const std::array<std::string_view, 5> values{"", "0,0", "-1", "NoDevFiles", "GPU-a,GPU-a"};
  ArrangedEnvironment arranged{
      c, {.variables = {{visible_variable(), std::string{values.at(c.row)}}}}};
  expect_equal("devices", std::int64_t{0}, count_devices(c));
  const auto management = arranged.management_calls();
  expect(management.empty(), "calls of the management library: expected none but found {}",
         to_text(management));
  const auto calls = arranged.runtime_calls();
  expect(calls.empty(), "calls of the driver: expected none but found {}",
         calls.empty() ? "" : calls.front().function);
}

void build_without_gpu_has_no_device(Case& c) {
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

void count_follows_the_environment_before_initialization(Case& c) {
  constexpr int devices = 4;
  const auto first = draw_ordinal_list(c.draw, devices);
  const auto second = draw_ordinal_list(c.draw, devices);
  const ArrangedEnvironment arranged{c, {.devices = devices}};
  for (const VisibleEntries& entries : {first, second})
    expect_equal(fmt::format("devices of {}", visible_value(entries)),
                 static_cast<std::int64_t>(entries.size()), count_with(c, visible_value(entries)));
}

void first_count_after_initialization_is_kept(Case& c) {
  const ArrangedEnvironment arranged{c, {.devices = 4}};
  expect_equal("devices before initialization", std::int64_t{1}, count_with(c, "0"));
  set_variable(visible_variable(), std::nullopt);
  require(GpuRuntime{c.subject()}.initialize(), "initialize");
  expect_equal("devices at the first call after it", std::int64_t{2}, count_with(c, "0,1"));
  expect_equal("devices at the second call, with another list", std::int64_t{2},
               count_with(c, "0,1,2"));
}

void count_during_initialization_is_not_kept(Case& c) {
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

template <Answer answer>
void add_counts(Suite& suite, std::string_view requirement, std::string_view sentence) {
  add_for_both(suite, device_check(requirement, sentence, counts_follow_the_list<answer>,
                                   numbers_of_devices.size()));
}

}  // namespace

void register_count_checks(Suite& suite) {
  add_counts<Answer::of_ordinals>(suite, "devices.count.truncate-out-of-range",
                                  "ordinals count up to the first that does not exist");
  add_for_both(suite, device_check("devices.count.truncate-out-of-range",
                                   "drawn ordinals count up to the first that does not exist",
                                   ordinals_count_up_to_the_first_missing));
  add_for_cuda(
      suite,
      device_check("devices.count.uuid-list", "identifiers count as the devices that they name",
                   counts_follow_the_list<Answer::of_identifiers>, numbers_of_devices.size()));
  add_counts<Answer::none>(suite, "devices.count.empty-list-zero", "an empty list counts 0");
  add_counts<Answer::of_runtime>(suite, "devices.count.mig-and-hip-strings",
                                 "the runtime counts what the management library does not resolve");
  add_for_both(suite, device_check("devices.count.mig-and-hip-strings",
                                   "the management library leaves such identifiers to the runtime",
                                   management_leaves_identifiers_alone, 3));
  add_for_both(suite, device_check("devices.visible.unset-default",
                                   "without the variable the devices that exist count, to 64",
                                   without_the_variable_all_count, many_devices.size()));
  add_for_both(suite, device_check("devices.count.mgmt-first",
                                   "counting asks the management library and not the runtime",
                                   management_is_asked_first));
  add_for_both(suite, device_check("devices.count.mgmt-first",
                                   "a child forked after counting can initialize",
                                   counting_leaves_children_their_runtime, 1));
  add_for_both(suite, device_check("devices.count.empty-list-zero", "an empty list asks no library",
                                   empty_list_asks_nobody, 5));
  add_for_both(suite, device_check("devices.count.not-compiled",
                                   "a build without GPU support has no device and no error",
                                   build_without_gpu_has_no_device, 1));
  add_for_both(suite, device_check("devices.count.caching",
                                   "before initialization each count follows the environment",
                                   count_follows_the_environment_before_initialization));
  add_for_both(suite,
               device_check("devices.count.caching", "the first count after initialization is kept",
                            first_count_after_initialization_is_kept, 1));
  add_for_both(suite,
               device_check("devices.count.caching", "a count during initialization is not kept",
                            count_during_initialization_is_not_kept, 1));
}

}  // namespace dlcert::devices
