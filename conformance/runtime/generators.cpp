// SPDX-License-Identifier: Apache-2.0
//
// The offsets of the devices' random generators.
#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(generators)

namespace {

using testbench::ArrangedEnvironment;

// Libraries may demand multiples of 4.
std::int64_t draw_offset(Case& c) {
  return 4 * c.draw.between(1, 1 << 20);
}

void expect_offset(const GpuRuntime& runtime, int device, std::int64_t offset) {
  expect_equal(fmt::format("generator offset of device {}", device), offset,
               require(runtime.generator_offset(integer(device)), "generator_offset"));
}

// Whether `offset` is that of `device` and of no other.
void expect_offset_of_one(const GpuRuntime& runtime, int device, std::int64_t offset) {
  expect_offset(runtime, device, offset);
  for (int other = 0; other < device_count; ++other)
    if (other != device)
      expect(require(runtime.generator_offset(integer(other)), "generator_offset") != offset,
             "generator offset of device {}: found that of device {}", other, device);
}

DLCERT_CHECK(offset_waits_for_initialization,
             on_both_vendors(in_fresh_process("runtime.rng-offset-set",
                                              "an offset waits for initialization"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  const std::int64_t offset = draw_offset(c);
  require(runtime.set_generator_offset(offset, draw_name_of(c, device)), "set_generator_offset");
  expect_initialized(runtime, false, "after setting an offset");
  require(runtime.initialize(), "initialize");
  expect_offset_of_one(runtime, device, offset);
}

DLCERT_CHECK(offset_is_set_at_once_later,
             on_both_vendors(in_fresh_process("runtime.rng-offset-set",
                                              "an offset is set at once after initialization"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  const int device = draw_device(c);
  const std::int64_t offset = draw_offset(c);
  require(runtime.set_generator_offset(offset, draw_name_of(c, device)), "set_generator_offset");
  expect_offset_of_one(runtime, device, offset);
}

DLCERT_CHECK(
    missing_index_means_the_current_device_then,
    on_both_vendors(in_fresh_process("runtime.rng-offset-set",
                                     "a device without index is the one current at that time"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int before = draw_device(c);
  const int at_initialization = draw_other_device(c, before);
  const std::int64_t offset = draw_offset(c);
  set_device_of_driver(before);
  require(runtime.set_generator_offset(offset, draw_gpu_without_index(c)), "set_generator_offset");
  set_device_of_driver(at_initialization);
  require(runtime.initialize(), "initialize");
  expect_offset_of_one(runtime, at_initialization, offset);
}

DLCERT_CHECK(negative_index_is_refused,
             on_both_vendors(in_fresh_process(
                 "runtime.rng-offset-set", "an offset for a negative index is refused at once"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  if (c.draw.flip()) require(runtime.initialize(), "initialize");
  const std::int64_t index = -c.draw.between(1, device_count);
  const auto set = runtime.set_generator_offset(draw_offset(c), integer(index));
  expect_refusal(!set.ok(),
                 "set_generator_offset of device {}: expected a refusal but found success", index);
  require(runtime.initialize(), "initialize");
  for (int device = 0; device < device_count; ++device)
    expect_offset(runtime, device, 0);
}

// PyTorch looks at the index alone; its documentation speaks of GPUs.
DLCERT_CHECK(host_device_is_recorded,
             on_both_vendors(in_fresh_process("runtime.rng-offset-set",
                                              "what an offset for \"cpu\" means is recorded", 1))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  set_device_of_driver(1);
  const std::int64_t offset = draw_offset(c);
  if (!runtime.set_generator_offset(offset, text("cpu")).ok())
    return c.observe("\"cpu\" is refused");
  const bool current = require(runtime.generator_offset(integer(1)), "generator_offset") == offset;
  c.observe(current ? "\"cpu\" means the current GPU" : "\"cpu\" means no generator of a GPU");
}

DLCERT_CHECK(reading_an_offset_starts_the_runtime,
             on_both_vendors(in_fresh_process("runtime.rng-offset-get",
                                              "reading an offset starts the runtime"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.generator_offset(draw_name_of(c, draw_device(c))), "generator_offset");
  expect_initialized(runtime, true, "after reading an offset");
}

DLCERT_CHECK(reading_without_a_device_means_the_current_one,
             on_both_vendors(in_fresh_process(
                 "runtime.rng-offset-get",
                 "without a device the offset of the current device is read and set"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  const int current = draw_device(c);
  set_device_of_driver(current);
  const std::int64_t offset = draw_offset(c);
  require(runtime.set_generator_offset(offset, absent()), "set_generator_offset");
  expect_offset_of_one(runtime, current, offset);
  expect_equal("generator offset without a device", offset,
               require(runtime.generator_offset(absent()), "generator_offset"));
}

DLCERT_CHECK(the_offset_that_is_read_is_the_latest,
             on_both_vendors(in_fresh_process(
                 "runtime.rng-offset-get", "the offset that is read is the latest that was set"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int device = draw_device(c);
  std::int64_t latest = 0;
  for (auto settings = c.draw.between(1, 3); settings > 0; --settings) {
    latest = draw_offset(c);
    require(runtime.set_generator_offset(latest, integer(device)), "set_generator_offset");
    if (c.draw.flip()) require(runtime.initialize(), "initialize");
  }
  expect_equal("generator offset", latest,
               require(runtime.generator_offset(draw_name_of(c, device)), "generator_offset"));
}

}  // namespace
}  // namespace dlcert::runtime
