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
// What the library writes for a number that the device does not have.
constexpr std::uint32_t not_available = 0xFFFF;

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
  if (value == not_available)
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
Head AmdSmi::report(const char* function, std::uint64_t index, Arguments... arguments) {
  alignas(std::max_align_t) std::array<std::byte, structure_bytes> structure{};
  const SmiStatus code = library_.function<SmiStatus(Device, Arguments..., void*)>(function)(
      device(index), arguments..., structure.data());
  smi_check(ManagementStep::measurement, function, code);
  Head head;
  std::memcpy(&head, structure.data(), sizeof head);
  return head;
}

AmdSmi::Activity AmdSmi::activity(std::uint64_t index) {
  return report<Activity>("amdsmi_get_gpu_activity", index);
}

AmdSmi::Power AmdSmi::power(std::uint64_t index) {
  return report<Power>("amdsmi_get_power_info", index);
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

Measurement AmdSmi::temperature(std::uint64_t index) {
  constexpr int current = 0;
  return {report<std::int64_t>("amdsmi_get_temp_metric", index, temperature_sensor(), current),
          Unit::degrees_celsius};
}

Measurement AmdSmi::power_draw(std::uint64_t index) {
  const std::uint32_t watts = power(index).current;
  return {smi_available("amdsmi_get_power_info", watts), Unit::watts};
}

Measurement AmdSmi::clock_rate(std::uint64_t index) {
  return {report<std::uint32_t>("amdsmi_get_clock_info", index, clock_type()), Unit::megahertz};
}

Measurement CurrentAmdSmi::memory_usage(std::uint64_t index) {
  const std::uint32_t percent = activity(index).memory_controller;
  return {smi_available("amdsmi_get_gpu_activity", percent), Unit::percent};
}

Measurement CurrentAmdSmi::power_draw(std::uint64_t index) {
  const Power found = power(index);
  for (const std::uint32_t watts : {found.average, found.current})
    if (watts != not_available) return {watts, Unit::watts};
  return {0, Unit::watts};
}

}  // namespace dlcert::cuda
