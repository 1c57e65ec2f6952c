// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/amd_smi.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "management_calls.hpp"

namespace dlcert::cuda {
namespace {

using SmiStatus = std::uint32_t;

constexpr std::uint64_t init_amd_gpus = 2;
constexpr unsigned smi_uuid_bytes = 38;
// More than any structure of the library has, whatever a later release appends to it.
constexpr std::size_t structure_bytes = 1024;

// Whether the device reports this activity, power or clock. The library takes these from 16-bit
// numbers of the kernel (gpu_metrics), where 0xFFFF stands for none. It copies activities and
// clocks as they are (amd_smi.cc of 24.7 and 26.5). For a power it writes 0xFFFF in 24
// (amd_smi.cc), which amdsmi 7.0.2 still looks for, and UINT32_MAX since ROCm 7.1.1 (amdsmi.h).
constexpr bool is_available(std::uint32_t value) {
  return value != UINT16_MAX && value != UINT32_MAX;
}

const char* smi_text(SmiStatus code) {
  switch (code) {
    case 1:
      return "invalid argument";
    case 2:
      return "not supported";
    case 8:
      return "timeout";
    case 9:
      return "retry";
    case 10:
      return "no permission";
    case 18:
      return "initialization failed";
    case 30:
      return "device busy";
    case 31:
      return "not found";
    case 32:
      return "not initialized";
    case 34:
      return "driver not loaded";
    case 41:
      return "insufficient size";
    default:
      return "an error that AMD SMI's documentation does not list";
  }
}

void smi_check(ManagementStep step, const char* function, SmiStatus code) {
  if (code != 0)
    throw ManagementError(step, code,
                          fmt::format("{} failed with {}: {}", function, code, smi_text(code)));
}

// The library's two-pass way of giving a list: its length first, then as many of it.
template <class Ask>
std::vector<void*> smi_list(const char* function, Ask&& ask) {
  std::uint32_t count = 0;
  smi_check(ManagementStep::handle, function, ask(&count, nullptr));
  if (count > most_devices_listed)
    refuse_answer(ManagementStep::handle, fmt::format("{} claims {} handles", function, count));
  std::vector<void*> handles(count);
  if (count == 0) return handles;
  std::uint32_t written = count;
  smi_check(ManagementStep::handle, function, ask(&written, handles.data()));
  if (written > count)
    refuse_answer(ManagementStep::handle,
                  fmt::format("{} gave {} handles after claiming {}", function, written, count));
  handles.resize(written);
  return handles;
}

std::int64_t smi_available(const char* function, std::uint32_t value) {
  if (!is_available(value))
    refuse_answer(ManagementStep::measurement,
                  fmt::format("{} says that the device does not report it", function));
  return value;
}

}  // namespace

AmdSmi::AmdSmi(std::string library) : library_{std::move(library)} {}

void AmdSmi::initialize() {
  library_.load();
  const SmiStatus code = library_.function<SmiStatus(std::uint64_t)>("amdsmi_init")(init_amd_gpus);
  smi_check(ManagementStep::initialization, "amdsmi_init", code);
}

std::vector<AmdSmi::Device> AmdSmi::devices() {
  constexpr const char* sockets_name = "amdsmi_get_socket_handles";
  constexpr const char* processors_name = "amdsmi_get_processor_handles";
  auto* const sockets = library_.function<SmiStatus(std::uint32_t*, void**)>(sockets_name);
  auto* const processors =
      library_.function<SmiStatus(void*, std::uint32_t*, void**)>(processors_name);
  std::vector<Device> found;
  for (void* const socket : smi_list(sockets_name, sockets)) {
    const auto of_socket = smi_list(processors_name, [&](std::uint32_t* count, void** handles) {
      return processors(socket, count, handles);
    });
    found.insert(found.end(), of_socket.begin(), of_socket.end());
    if (found.size() > most_devices_listed)
      refuse_answer(ManagementStep::handle,
                    fmt::format("{} claims over {} devices", processors_name, found.size()));
  }
  return found;
}

AmdSmi::Device AmdSmi::device(std::uint64_t index) {
  const std::vector<Device> found = devices();
  if (index >= found.size())
    refuse_answer(ManagementStep::handle,
                  fmt::format("amdsmi_get_processor_handles knows no device {} but {} devices",
                              index, found.size()));
  return found[index];
}

std::int64_t AmdSmi::device_count() {
  return static_cast<std::int64_t>(devices().size());
}

std::vector<std::string> AmdSmi::uuids() {
  std::vector<std::string> found;
  for (void* const device : devices())
    found.push_back(uuid(device));
  return found;
}

std::string AmdSmi::uuid(Device device) {
  constexpr const char* name = "amdsmi_get_gpu_device_uuid";
  std::array<char, uuid_buffer_bytes> buffer{};
  unsigned length = smi_uuid_bytes;
  const SmiStatus code =
      library_.function<SmiStatus(Device, unsigned*, char*)>(name)(device, &length, buffer.data());
  smi_check(ManagementStep::uuid, name, code);
  const std::string_view text{buffer.data(), strnlen(buffer.data(), buffer.size())};
  require_ascii(name, text);
  return std::string{text};
}

template <class Head, class... Arguments>
Head AmdSmi::written(const char* function, Arguments... arguments) {
  alignas(std::max_align_t) std::array<std::byte, structure_bytes> structure{};
  const SmiStatus code =
      library_.function<SmiStatus(Arguments..., void*)>(function)(arguments..., structure.data());
  smi_check(ManagementStep::measurement, function, code);
  Head head;
  std::memcpy(&head, structure.data(), sizeof head);
  return head;
}

template <class Head, class... Arguments>
Head AmdSmi::report(const char* function, std::uint64_t index, Arguments... arguments) {
  static_cast<void>(release());
  return written<Head>(function, device(index), arguments...);
}

AmdSmi::Release AmdSmi::release() {
  if (const std::uint32_t known = release_; known != 0) return Release{known};
  constexpr const char* name = "amdsmi_get_lib_version";
  struct Version {
    std::uint32_t first, second, third;
  };
  const auto found = written<Version>(name);
  constexpr auto oldest = static_cast<std::uint32_t>(Release::rocm_6_1);
  constexpr auto newest = static_cast<std::uint32_t>(Release::rocm_10_0);
  if (found.first < oldest || found.first > newest)
    refuse_answer(ManagementStep::measurement,
                  fmt::format("expected AMD SMI {} to {}, whose structures are known, but {} says "
                              "{}.{}.{}",
                              oldest, newest, name, found.first, found.second, found.third));
  release_ = found.first;
  return Release{found.first};
}

AmdSmi::Activity AmdSmi::activity(std::uint64_t index) {
  return report<Activity>("amdsmi_get_gpu_activity", index);
}

AmdSmi::Power AmdSmi::power(std::uint64_t index) {
  constexpr const char* name = "amdsmi_get_power_info";
  struct PowerSince6_4 {
    std::uint64_t socket_power;
    Power rest;
  };
  if (release() == Release::rocm_6_1) return report<Power>(name, index);
  return report<PowerSince6_4>(name, index).rest;
}

Measurement AmdSmi::memory_usage(std::uint64_t index) {
  struct VideoMemory {
    std::uint32_t total, used;  // MiB
  };
  return {report<VideoMemory>("amdsmi_get_gpu_vram_usage", index).used, Unit::mebibytes};
}

Measurement AmdSmi::utilization(std::uint64_t index) {
  const std::uint32_t graphics = activity(index).graphics;
  return {smi_available("amdsmi_get_gpu_activity", graphics), Unit::percent};
}

// A number and no structure: of any library.
Measurement AmdSmi::temperature(std::uint64_t index) {
  constexpr int current = 0;
  return {
      written<std::int64_t>("amdsmi_get_temp_metric", device(index), temperature_sensor(), current),
      Unit::degrees_celsius};
}

Measurement AmdSmi::power_draw(std::uint64_t index) {
  const std::uint32_t watts = power(index).current;
  return {smi_available("amdsmi_get_power_info", watts), Unit::watts};
}

Measurement AmdSmi::clock_rate(std::uint64_t index) {
  constexpr const char* name = "amdsmi_get_clock_info";
  const auto clock = report<std::uint32_t>(name, index, clock_type());
  return {smi_available(name, clock), Unit::megahertz};
}

Measurement CurrentAmdSmi::memory_usage(std::uint64_t index) {
  const std::uint32_t percent = activity(index).memory_controller;
  return {smi_available("amdsmi_get_gpu_activity", percent), Unit::percent};
}

Measurement CurrentAmdSmi::power_draw(std::uint64_t index) {
  const Power found = power(index);
  for (const std::uint32_t watts : {found.average, found.current})
    if (is_available(watts)) return {watts, Unit::watts};
  return {0, Unit::watts};
}

}  // namespace dlcert::cuda
