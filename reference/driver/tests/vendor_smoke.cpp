// SPDX-License-Identifier: Apache-2.0
//
// A first look at a driver on its hardware: vendor_smoke cuda. Prints the devices and OK.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "dlcert/driver/select.hpp"

namespace dlcert::driver {
namespace {

void expect_success(Status status, const char* call) {
  if (status == Status::success) return;
  throw std::runtime_error(std::string(call) + ": " + status_name(driver().vendor(), status) +
                           ": " + status_text(driver().vendor(), status));
}

void list_device(int device) {
  DeviceProperties found;
  expect_success(driver().properties(device, found), "properties");
  std::string uuid;
  for (const std::uint8_t byte : found.uuid) {
    constexpr const char* digits = "0123456789abcdef";
    uuid += digits[byte / 16];
    uuid += digits[byte % 16];
  }
  std::printf("%d: %s, %d.%d, %zu MiB, pci %s, uuid %s\n", device, found.name.c_str(), found.major,
              found.minor, static_cast<std::size_t>(found.total_memory >> 20),
              found.pci_bus_id.c_str(), uuid.c_str());
}

void expect_kind(const void* memory, MemoryKind kind, const char* what) {
  PointerAttributes found;
  expect_success(driver().attributes(memory, found), "attributes");
  if (found.kind != kind) throw std::runtime_error(std::string("unexpected kind of ") + what);
}

/// Fills on one stream and copies back on another that waits for an event of the first.
void fill_and_copy_back() {
  constexpr std::size_t bytes = 1 << 20;
  constexpr std::uint8_t value = 0x5a;
  void* on_device = nullptr;
  void* pinned = nullptr;
  Stream filling{};
  Stream copying{};
  Event filled{};
  Driver& gpu = driver();
  expect_success(gpu.allocate(MemoryKind::device, bytes, on_device), "allocate device");
  expect_success(gpu.allocate(MemoryKind::pinned, bytes, pinned), "allocate pinned");
  expect_kind(on_device, MemoryKind::device, "device memory");
  expect_kind(pinned, MemoryKind::pinned, "pinned memory");
  expect_kind(&bytes, MemoryKind::pageable, "memory of the program");
  expect_success(gpu.create_stream(StreamKind::non_blocking, 0, filling), "create_stream");
  expect_success(gpu.create_stream(StreamKind::non_blocking, 0, copying), "create_stream");
  expect_success(gpu.create_event(EventTiming::disabled, filled), "create_event");

  expect_success(gpu.fill_async(on_device, value, bytes, filling), "fill_async");
  expect_success(gpu.record_event(filled, filling), "record_event");
  expect_success(gpu.wait_event(copying, filled), "wait_event");
  expect_success(gpu.copy_async(pinned, on_device, bytes, CopyDirection::device_to_host, copying),
                 "copy_async");
  expect_success(gpu.synchronize_stream(copying), "synchronize_stream");
  for (std::size_t i = 0; i < bytes; ++i) {
    if (static_cast<const std::uint8_t*>(pinned)[i] != value) {
      throw std::runtime_error("unexpected byte at " + std::to_string(i));
    }
  }

  expect_success(gpu.destroy_event(filled), "destroy_event");
  expect_success(gpu.destroy_stream(copying), "destroy_stream");
  expect_success(gpu.destroy_stream(filling), "destroy_stream");
  expect_success(gpu.release(MemoryKind::pinned, pinned), "release pinned");
  expect_success(gpu.release(MemoryKind::device, on_device), "release device");
}

void run(const char* name) {
  const Driver& chosen = select_driver(name);
  std::printf("driver %s, version %d\n", name, chosen.version());
  int devices = 0;
  expect_success(driver().device_count(devices), "device_count");
  for (int device = 0; device < devices; ++device) {
    list_device(device);
    expect_success(driver().set_device(device), "set_device");
    fill_and_copy_back();
  }
  std::puts("OK");
}

}  // namespace
}  // namespace dlcert::driver

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: vendor_smoke simulated|cuda|hip\n", stderr);
    return 2;
  }
  try {
    dlcert::driver::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
