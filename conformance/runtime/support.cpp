// SPDX-License-Identifier: Apache-2.0
#include "runtime/support.hpp"

#include <fmt/format.h>

#include <array>

#include "testbench/device_session.hpp"
#include "testbench/environment.hpp"

namespace dlcert::runtime {

Check in_fresh_process(std::string_view requirement, std::string_view sentence, std::size_t rows) {
  return {.requirement = requirement,
          .sentence = sentence,
          .role = Role::runtime,
          .needs = static_cast<Needs>(Can::runtime),
          .rows = rows,
          .isolation = Isolation::process_per_case};
}

// ---- devices ------------------------------------------------------------------------------------

int draw_device(Case& c) {
  return static_cast<int>(c.draw.below(device_count));
}

int draw_other_device(Case& c, int device) {
  return (device + 1 + static_cast<int>(c.draw.below(device_count - 1))) % device_count;
}

int gpu_type() {
  return testbench::is_rocm() ? kDLROCM : kDLCUDA;
}

dlcert_value draw_name_of(Case& c, int device) {
  static constexpr std::array names{"cuda:0", "cuda:1", "cuda:2"};
  switch (c.draw.below(3)) {
    case 0:
      return integer(device);
    case 1:
      return text(names.at(static_cast<std::size_t>(device)));
    default:
      return pair(gpu_type(), device);
  }
}

dlcert_value draw_gpu_without_index(Case& c) {
  return c.draw.flip() ? pair(gpu_type(), -1) : text("cuda");
}

void require_arranged(driver::Status status, std::string_view call) {
  if (status != driver::Status::success)
    throw Inconclusive{
        fmt::format("{} of the harness failed with {}", call, static_cast<int>(status))};
}

int device_of_driver() {
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  int device = -1;
  require_arranged(simulated.current_device(device), "current_device");
  return device;
}

void set_device_of_driver(int device) {
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  require_arranged(simulated.set_device(device), "set_device");
}

void use_all_devices(int device) {
  for (int each = 0; each < device_count; ++each)
    set_device_of_driver(each);
  set_device_of_driver(device);
}

// ---- the library --------------------------------------------------------------------------------

void expect_current(const GpuRuntime& runtime, int device, std::string_view when) {
  expect_equal(fmt::format("current device {}", when), std::int64_t{device},
               require(runtime.current_device_index(), "current_device_index"));
  expect_equal(fmt::format("current device of the driver {}", when), device, device_of_driver());
}

void expect_initialized(const GpuRuntime& runtime, bool initialized, std::string_view when) {
  expect_equal(fmt::format("is_initialized {}", when), initialized,
               require(runtime.is_initialized(), "is_initialized"));
}

void expect_stream(std::string_view what, const dlcert_runtime_stream& expected,
                   const dlcert_runtime_stream& found) {
  if (!(expected == found)) fail_equal(what, dlcert::to_text(expected), dlcert::to_text(found));
}

void within(const GpuRuntime& runtime, const Guard& guard, const std::function<void()>& body) {
  bool ran = false;
  require(runtime.with_guard(guard,
                             [&]() -> std::optional<Error> {
                               ran = true;
                               body();
                               return std::nullopt;
                             }),
          "with_guard");
  expect(ran, "with_guard: expected the body to run but it did not");
}

}  // namespace dlcert::runtime
