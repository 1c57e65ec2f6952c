// SPDX-License-Identifier: Apache-2.0
//
// Eight threads hand tensors to each other across streams and devices: each exports for a stream of
// the next thread, which imports, reads and releases. The environment variable DLCERT_SECONDS says
// for how long (default 1); meant for ThreadSanitizer.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dlcert/driver/select.hpp"
#include "dlcert/driver/simulated.hpp"
#include "dlcert/tensor/export.hpp"
#include "dlcert/tensor/import.hpp"

namespace dlcert::reference {
namespace {

constexpr std::size_t threads = 8;
constexpr int devices = 2;
constexpr std::int64_t extent = 64;
constexpr std::size_t longest_queue = 4;

std::chrono::duration<double> duration() {
  const char* const seconds = std::getenv("DLCERT_SECONDS");
  return std::chrono::duration<double>(seconds == nullptr ? 1 : std::atof(seconds));
}

/// A tensor on its way, ordered against the stream of whoever takes it.
struct Parcel {
  DLManagedTensorVersioned* managed;
  std::byte value;
};

/// Parcels for one thread.
class Mailbox {
 public:
  bool put(const Parcel& parcel) {
    const std::lock_guard lock(mutex_);
    if (parcels_.size() == longest_queue) return false;
    parcels_.push_back(parcel);
    return true;
  }
  std::optional<Parcel> take() {
    const std::lock_guard lock(mutex_);
    if (parcels_.empty()) return std::nullopt;
    const Parcel first = parcels_.front();
    parcels_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::deque<Parcel> parcels_;
};

/// A thread's stream on each device.
std::array<Stream, devices> make_streams() {
  std::array<Stream, devices> made{};
  for (int device = 0; device < devices; ++device) {
    const DeviceGuard guard(device);
    EXPECT_EQ(driver::driver().create_stream(driver::StreamKind::non_blocking, 0,
                                             made[static_cast<std::size_t>(device)]),
              driver::Status::success);
  }
  return made;
}

class Exchange {
 public:
  Exchange() {
    for (auto& of_thread : streams_)
      of_thread = make_streams();
  }

  /// What thread `self` does until the end.
  void run(std::size_t self) {
    const StreamGuard first(0, streams_[self][0]);
    const StreamGuard second(1, streams_[self][1]);
    const auto end = std::chrono::steady_clock::now() + duration();
    for (std::uint8_t value = 1; std::chrono::steady_clock::now() < end; ++value) {
      send(self, value);
      receive(self);
    }
  }

  /// Takes what nobody took.
  void finish() {
    for (std::size_t self = 0; self < threads; ++self)
      while (const auto parcel = mailboxes_[self].take())
        call_deleter(parcel->managed);
  }

  [[nodiscard]] std::uint64_t received() const { return received_; }

 private:
  void send(std::size_t self, std::uint8_t value) {
    const std::size_t next = (self + 1) % threads;
    const int device = value % devices;
    const Tensor tensor =
        Tensor::zeros(Dtype::described(kDLUInt, 8), {extent}, DLDevice{kDLCUDA, device});
    const std::vector<std::byte> bytes(static_cast<std::size_t>(extent), std::byte{value});
    tensor.write(bytes);
    const Stream consumer = streams_[next][static_cast<std::size_t>(device)];
    const ManagedTensor managed =
        exporter.managed(tensor, {.stream = static_cast<std::int64_t>(consumer),
                                  .max_version = std::pair<std::int64_t, std::int64_t>(1, 3)});
    auto* const versioned = std::get<DLManagedTensorVersioned*>(managed);
    if (!mailboxes_[next].put({versioned, std::byte{value}})) call_deleter(versioned);
  }

  void receive(std::size_t self) {
    const auto parcel = mailboxes_[self].take();
    if (!parcel) return;
    const Tensor tensor = importer.import(parcel->managed);
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent));
    tensor.read(bytes);
    EXPECT_EQ(bytes, std::vector<std::byte>(bytes.size(), parcel->value));
    received_.fetch_add(1, std::memory_order_relaxed);
  }

  std::array<std::array<Stream, devices>, threads> streams_{};
  std::array<Mailbox, threads> mailboxes_;
  std::atomic<std::uint64_t> received_{0};
};

TEST(StreamThreads, HandTensorsToEachOtherInOrder) {
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  simulated.restart({.devices = devices, .schedule = driver::Schedule::seeded});
  const driver::LiveAllocations before = host_memory().live();
  Exchange exchange;
  std::vector<std::thread> running;
  for (std::size_t self = 0; self < threads; ++self)
    running.emplace_back([&exchange, self] { exchange.run(self); });
  for (std::thread& thread : running)
    thread.join();
  exchange.finish();
  EXPECT_GT(exchange.received(), 100U);
  for (const driver::Race& race : simulated.take_races())
    ADD_FAILURE() << race.text();
  EXPECT_EQ(host_memory().live(), before);
}

}  // namespace
}  // namespace dlcert::reference
