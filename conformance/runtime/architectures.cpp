// SPDX-License-Identifier: Apache-2.0
//
// What the library was compiled for, and whether the devices can run it.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(architectures)

namespace {

using testbench::ArrangedEnvironment;
using testbench::Environment;

// ---- names of architectures ---------------------------------------------------------------------

struct Architecture {
  std::string kind;
  std::int64_t number = 0;
  std::string suffix;

  std::string written() const { return fmt::format("{}{}", number, suffix); }
  std::string text() const { return fmt::format("{}_{}", kind, written()); }
};

Architecture draw_architecture(Case& c) {
  std::int64_t number = 0;
  if (c.draw.flip()) {
    number = 10 * c.draw.between(5, 12);
    number += c.draw.between(0, 9);
  } else {
    number = c.draw.between(3, 130);
  }
  return {c.draw.flip() ? "compute" : "sm", number, c.draw.rarely(3) ? "a" : ""};
}

DLCERT_CHECK(architecture_has_a_number,
             on_both_vendors(in_fresh_process(
                 "runtime.arch.parse", "an architecture is the number behind its underscore"))) {
  const ArrangedEnvironment arranged{c, {}};
  const Architecture drawn = draw_architecture(c);
  const std::string text = drawn.text();
  expect_equal(
      fmt::format("number of {}", text), drawn.number,
      require(GpuRuntime{c.subject()}.parse_architecture(text.c_str()), "parse_architecture"));
}

// ---- lists of architectures ---------------------------------------------------------------------

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& each : texts)
    all += all.empty() ? each : " " + each;
  return all;
}

void expect_architectures(const GpuRuntime& runtime, const std::vector<Architecture>& expected) {
  std::vector<std::string> names;
  std::vector<std::string> flags;
  for (const Architecture& each : expected) {
    names.push_back(each.text());
    flags.push_back(
        fmt::format("-gencode compute=compute_{0},code={1}_{0}", each.written(), each.kind));
  }
  const auto found = require(runtime.architectures(), "architectures");
  expect_equal("number of architectures", names.size(), found.size());
  expect_equal("architectures", joined(names), joined(found));
  expect_equal("gencode flags", joined(flags), require(runtime.gencode_flags(), "gencode_flags"));
}

DLCERT_CHECK(flags_are_listed, on_both_vendors(in_fresh_process(
                                   "runtime.arch.list-and-gencode",
                                   "the compiled architectures are listed, and as flags"))) {
  std::vector<Architecture> built;
  std::string flags;
  for (auto left = c.draw.between(0, 4); left > 0; --left) {
    built.push_back(draw_architecture(c));
    if (!flags.empty()) flags += ' ';
    flags += built.back().text();
  }
  const ArrangedEnvironment arranged{c, {.build = Build{.architecture_flags = flags}}};
  expect_architectures(GpuRuntime{c.subject()}, built);
}

DLCERT_CHECK(nothing_is_listed_without_a_gpu,
             on_both_vendors(in_fresh_process("runtime.arch.list-and-gencode",
                                              "no architecture is listed without a GPU", 2))) {
  const Build with_gpu{.architecture_flags = "sm_70 compute_80"};
  const Build without_gpu{.gpu = false, .architecture_flags = "sm_70 compute_80"};
  const ArrangedEnvironment arranged{
      c,
      c.row == 0
          ? Environment{.devices = 2, .build = without_gpu}
          : Environment{.devices = 0, .start_error = driver::Status::no_device, .build = with_gpu}};
  expect_architectures(GpuRuntime{c.subject()}, {});
}

// ---- warnings at initialization -----------------------------------------------------------------

struct Compatibility {
  const char* flags;
  Capability device;
  Capability oldest;  // that the library supports
  bool without_cubin = false;

  bool too_old() const {
    return std::pair{device.major, device.minor} < std::pair{oldest.major, oldest.minor};
  }
};

constexpr std::array<Compatibility, 16> compatibilities{{
    {"sm_50", {3, 0}, {5, 0}, true},
    {"sm_50", {5, 0}, {5, 0}},
    {"", {3, 0}, {3, 5}},
    {"", {3, 5}, {3, 5}},
    {"", {9, 0}, {3, 5}},
    {"sm_70 sm_80", {9, 0}, {7, 0}, true},
    {"sm_70 sm_80", {8, 6}, {7, 0}},
    {"sm_70 sm_80", {7, 5}, {7, 0}},
    {"sm_75 sm_80", {7, 0}, {7, 5}},
    {"sm_70 sm_80", {6, 1}, {7, 0}, true},
    {"sm_80 sm_70", {7, 0}, {7, 0}},
    {"compute_90", {9, 0}, {9, 0}, true},
    {"compute_50 sm_80", {6, 0}, {5, 0}, true},
    {"sm_90a", {9, 0}, {9, 0}},
    {"sm_100", {10, 0}, {10, 0}},
    {"sm_90", {10, 0}, {9, 0}, true},
}};

constexpr std::array device_names{"Alder accelerator", "Birch accelerator"};

std::string dotted(Capability capability) {
  return fmt::format("{}.{}", capability.major, capability.minor);
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The warnings about a device that initialization gives.
struct Given {
  std::vector<std::string> too_old;
  std::vector<std::string> others;
};

// What says that a device is too old names its capability and the oldest. What says that no code
// fits may do so too: it is taken for this where this is due and nothing else says it.
Given warnings_about(const std::vector<std::string>& warnings, const char* name,
                     const Compatibility& row) {
  Given given;
  for (const std::string& warning : warnings) {
    if (!holds(warning, name)) continue;
    const bool names_both =
        holds(warning, dotted(row.device)) && holds(warning, dotted(row.oldest));
    (names_both ? given.too_old : given.others).push_back(warning);
  }
  if (row.without_cubin && given.others.empty() &&
      given.too_old.size() > std::size_t{row.too_old()}) {
    given.others.push_back(given.too_old.back());
    given.too_old.pop_back();
  }
  return given;
}

// Both devices of the runtime are like that of the row; the management library has `counted`. Tells
// where it is asked for what device_count() is behind the initialization.
std::vector<std::string> warnings_of_initialization(Case& c, const Compatibility& row,
                                                    std::size_t counted = device_names.size(),
                                                    std::int64_t* counted_behind = nullptr) {
  std::vector<driver::SimulatedDevice> models;
  models.reserve(device_names.size());
  for (const char* const name : device_names)
    models.push_back({.name = name, .major = row.device.major, .minor = row.device.minor});
  const ArrangedEnvironment arranged{c,
                                     {.management_settings = fmt::format("devices={}", counted),
                                      .devices = 2,
                                      .models = models,
                                      .build = Build{.architecture_flags = row.flags}}};
  const GpuRuntime runtime{c.subject()};
  c.take_warnings();
  require(runtime.initialize(), "initialize");
  if (counted_behind)
    *counted_behind = require(GpuDevices{c.subject()}.device_count(), "device_count");
  return c.take_warnings();
}

std::string without(std::string text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

DLCERT_CHECK(old_device_is_warned_of,
             on_cuda(in_fresh_process("runtime.capability.old-gpu-warning",
                                      "each device that is too old is warned of",
                                      compatibilities.size()))) {
  const Compatibility& row = compatibilities.at(c.row);
  const auto warnings = warnings_of_initialization(c, row);
  for (std::size_t device = 0; device < device_names.size(); ++device) {
    const Given given = warnings_about(warnings, device_names.at(device), row);
    expect_equal(fmt::format("warnings that device {} is too old", device),
                 std::size_t{row.too_old()}, given.too_old.size());
    if (!row.too_old()) continue;
    const std::string rest =
        without(without(given.too_old.front(), dotted(row.device)), dotted(row.oldest));
    expect(holds(rest, std::to_string(device)), "expected the index {} in the warning but found {}",
           device, dlcert::to_text(given.too_old.front()));
  }
}

DLCERT_CHECK(device_without_cubin_is_warned_of,
             on_cuda(in_fresh_process("runtime.capability.cubin-warning",
                                      "each device that no code fits is warned of",
                                      compatibilities.size()))) {
  const Compatibility& row = compatibilities.at(c.row);
  const auto warnings = warnings_of_initialization(c, row);
  for (const char* const name : device_names)
    expect_equal(fmt::format("warnings that no code fits {}", name), std::size_t{row.without_cubin},
                 warnings_about(warnings, name, row).others.size());
}

DLCERT_CHECK(
    only_counted_devices_are_warned_of,
    on_cuda(also_needing(in_fresh_process("runtime.capability.old-gpu-warning",
                                          "only devices within device_count() are warned of",
                                          compatibilities.size()),
                         Can::devices)),
    on_cuda(also_needing(in_fresh_process("runtime.capability.cubin-warning",
                                          "only devices within device_count() are warned of",
                                          compatibilities.size()),
                         Can::devices))) {
  std::int64_t counted = 0;
  const auto warnings = warnings_of_initialization(c, compatibilities.at(c.row), 1, &counted);
  if (counted != 1)  // as torch since 2.15, which counts the runtime's devices from then on
    return c.declined("device_count() does not follow the management library");
  for (const std::string& warning : warnings)
    expect(!holds(warning, device_names.back()),
           "warnings about device 1 where device_count() is 1: expected none but found {}",
           dlcert::to_text(warning));
}

DLCERT_CHECK(nothing_is_warned_of_on_rocm,
             on_rocm(in_fresh_process("runtime.capability.old-gpu-warning",
                                      "no device is warned of on ROCm", compatibilities.size())),
             on_rocm(in_fresh_process("runtime.capability.cubin-warning",
                                      "no device is warned of on ROCm", compatibilities.size()))) {
  const auto warnings = warnings_of_initialization(c, compatibilities.at(c.row));
  for (const char* const name : device_names)
    for (const std::string& warning : warnings)
      expect(!holds(warning, name), "warnings about {}: expected none on ROCm but found {}", name,
             dlcert::to_text(warning));
}

// ---- bfloat16 -----------------------------------------------------------------------------------

// Allocates all memory of the current device.
void exhaust_memory() {
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  void* memory = nullptr;
  while (simulated.allocate(driver::MemoryKind::device, 1, memory) == driver::Status::success) {
  }
  static_cast<void>(simulated.take_error());
}

constexpr int default_version = 0;

// The current device has a capability, the others another one. Nothing can be allocated there
// unless there is `room`.
void arrange_capability(Case& c, Capability capability, int current, int version, bool room) {
  std::vector<driver::SimulatedDevice> models(device_count,
                                              {.major = capability.major < 8 ? 9 : 5});
  models.at(static_cast<std::size_t>(current)) = {.major = capability.major,
                                                  .minor = capability.minor};
  const ArrangedEnvironment arranged{
      c, {.devices = device_count, .models = models, .version = version}};
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  driver::SimulatedOptions options = simulated.options();
  options.memory_per_device = 1;
  if (!room) simulated.restart(options);
  set_device_of_driver(current);
  if (!room) exhaust_memory();
}

bool supports_bfloat16(Case& c, bool including_emulation) {
  return require(GpuRuntime{c.subject()}.supports_bfloat16(including_emulation),
                 "supports_bfloat16");
}

DLCERT_CHECK(new_device_supports_bfloat16,
             on_cuda(in_fresh_process("runtime.bf16-support",
                                      "the current device supports bfloat16 from capability 8"))) {
  const auto major = static_cast<std::int32_t>(c.draw.between(8, 12));
  const int version = c.draw.flip() ? 11000 : 12040;
  const bool room = c.draw.flip();
  const int current = draw_device(c);
  const auto minor = static_cast<std::int32_t>(c.draw.below(10));
  arrange_capability(c, {major, minor}, current, version, room);
  expect_equal("bfloat16 support of a new device", true, supports_bfloat16(c, c.draw.flip()));
}

DLCERT_CHECK(old_device_may_emulate_bfloat16,
             on_cuda(in_fresh_process("runtime.bf16-support",
                                      "an older device does where a trial succeeds"))) {
  const bool emulation = c.draw.flip();
  const bool room = c.draw.flip();
  const auto major = static_cast<std::int32_t>(c.draw.between(3, 7));
  const int current = draw_device(c);
  const auto minor = static_cast<std::int32_t>(c.draw.below(10));
  // A trial needs the version that the library was compiled for: an older one fails it.
  arrange_capability(c, {major, minor}, current, default_version, room);
  expect_equal("bfloat16 support of an old device", emulation && room,
               supports_bfloat16(c, emulation));
  expect_equal("bfloat16 support of the same device, asked again", emulation && room,
               supports_bfloat16(c, emulation));
}

// Asks about two devices: PyTorch keeps a result for each. A tensor needs less than this.
DLCERT_CHECK(bfloat16_is_tried_once,
             on_cuda(in_fresh_process("runtime.bf16-support",
                                      "the trial of a device is made once"))) {
  const int full = draw_device(c);
  const int other = draw_other_device(c, full);
  const ArrangedEnvironment arranged{
      c,
      {.devices = device_count,
       .models = std::vector<driver::SimulatedDevice>(device_count, {.major = 7, .minor = 0})}};
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  driver::SimulatedOptions options = simulated.options();
  options.memory_per_device = std::uint64_t{64} << 20;
  simulated.restart(options);
  set_device_of_driver(full);
  void* memory = nullptr;
  require_arranged(
      simulated.allocate(driver::MemoryKind::device, options.memory_per_device, memory),
      "allocate");
  expect_equal("bfloat16 support without memory", false, supports_bfloat16(c, true));
  require_arranged(simulated.release(driver::MemoryKind::device, memory), "release");
  expect_equal("bfloat16 support of the same device, asked again", false,
               supports_bfloat16(c, true));
  require(GpuRuntime{c.subject()}.set_device(integer(other)), "set_device");
  expect_equal("bfloat16 support of another device", true, supports_bfloat16(c, true));
}

// Which CUDA counts is decided when the library is compiled: the driver can tell another version.
DLCERT_CHECK(old_cuda_is_recorded,
             on_cuda(in_fresh_process("runtime.bf16-support",
                                      "what a driver of CUDA 10 means is recorded", 1))) {
  arrange_capability(c, {8, 0}, 0, 10020, true);
  c.observe(supports_bfloat16(c, false) ? "supported with CUDA 10" : "not supported with CUDA 10");
}

DLCERT_CHECK(rocm_supports_bfloat16,
             on_rocm(in_fresh_process("runtime.bf16-support",
                                      "every device supports bfloat16 on ROCm"))) {
  const bool room = c.draw.flip();
  const int current = draw_device(c);
  const auto major = static_cast<std::int32_t>(c.draw.between(3, 12));
  arrange_capability(c, {major, 0}, current, 0, room);
  expect_equal("bfloat16 support on ROCm", true, supports_bfloat16(c, c.draw.flip()));
}

}  // namespace
}  // namespace dlcert::runtime
