// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/device_work.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <chrono>
#include <string_view>
#include <thread>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {
namespace {

constexpr std::array<std::string_view, 3> sync_debug_modes{"default", "warn", "error"};

constinit std::atomic<std::uint64_t> threads{0};

// Unlike the system's, never given to another thread later.
std::uint64_t thread_number() {
  thread_local const std::uint64_t number = ++threads;
  return number;
}

void sleep_cycles(void* cycles) {
  std::this_thread::sleep_for(std::chrono::nanoseconds{std::bit_cast<std::intptr_t>(cycles)});
}

int mode_number(std::int64_t mode) {
  if (mode < 0 || mode > 2)
    throw RuntimeError(fmt::format("expected sync debug mode 0, 1 or 2 but found {}", mode));
  return static_cast<int>(mode);
}

int mode_number(const std::string& mode) {
  for (std::size_t number = 0; number < sync_debug_modes.size(); ++number)
    if (sync_debug_modes[number] == mode) return static_cast<int>(number);
  throw RuntimeError(
      fmt::format("expected sync debug mode default, warn or error but found '{}'", mode));
}

}  // namespace

DeviceWork::~DeviceWork() = default;

void DeviceWork::synchronize(const DeviceArgument& device) {
  initialize();
  const DeviceGuard guard(streams_.devices(), device);
  check(driver::driver().synchronize_device());
}

void DeviceWork::ipc_collect() {
  initialize();
}

void DeviceWork::sleep(std::int64_t cycles) {
  initialize();
  if (cycles < 0) throw RuntimeError(fmt::format("expected 0 cycles or more but found {}", cycles));
  const Stream stream = streams_.current({});
  const DeviceGuard guard(streams_.devices(), stream.device_index);
  check(driver::driver().launch_host_function(stream.handle, sleep_cycles,
                                              std::bit_cast<void*>(std::intptr_t{cycles})));
}

std::uintptr_t DeviceWork::blas_handle() {
  initialize();
  const Stream stream = streams_.current({});
  const BlasKey key{thread_number(), stream.device_index,
                    static_cast<std::uintptr_t>(stream.handle)};
  const std::scoped_lock lock(mutex_);
  return std::bit_cast<std::uintptr_t>(&blas_handles_[key]);
}

void DeviceWork::set_sync_debug_mode(const std::variant<std::int64_t, std::string>& mode) {
  initialize();
  sync_debug_mode_ = std::visit([](const auto& value) { return mode_number(value); }, mode);
}

int DeviceWork::sync_debug_mode() {
  initialize();
  return sync_debug_mode_;
}

}  // namespace dlcert::cuda
