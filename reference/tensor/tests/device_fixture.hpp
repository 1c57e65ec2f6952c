// SPDX-License-Identifier: Apache-2.0
//
// Tensors in a fresh simulated world, and short names for what others do on its streams.

#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "dlcert/driver/select.hpp"
#include "dlcert/driver/simulated.hpp"
#include "dlcert/tensor/export.hpp"

#include "support.hpp"

namespace dlcert::reference {

using driver::Call;
using driver::MemoryKind;
using driver::Schedule;
using driver::SimulatedDriver;
using driver::Status;
using driver::StreamKind;
using driver::Vendor;
using Bytes = std::vector<std::uint8_t>;
using Pair = std::pair<std::int64_t, std::int64_t>;

inline constexpr std::array every_schedule{Schedule::eager, Schedule::late, Schedule::seeded};

inline Dtype uint8() {
  return Dtype::described(kDLUInt, 8);
}
inline Argument number(Stream stream) {
  return static_cast<std::int64_t>(stream);
}

/// The tensor's logical buffer.
inline Bytes logical(const Tensor& tensor) {
  Bytes bytes(static_cast<std::size_t>(tensor.logical_bytes()));
  tensor.read(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}
inline void write(const Tensor& tensor, const Bytes& bytes) {
  tensor.write(std::as_bytes(std::span(bytes)));
}

/// The code of the DeviceError that `call` throws; nothing when it throws none.
template <class Call>
std::optional<int> code_of_error(Call call) {
  try {
    static_cast<void>(call());
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.code();
  }
  return std::nullopt;
}

/// An exported tensor that is released when this dies.
class Held {
 public:
  explicit Held(ManagedTensor managed) noexcept : managed_(managed) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { release(managed_); }

  [[nodiscard]] const DLTensor& tensor() const {
    return *std::visit([](auto* managed) { return &managed->dl_tensor; }, managed_);
  }
  [[nodiscard]] const std::byte* first_element() const {
    return static_cast<const std::byte*>(tensor().data) + tensor().byte_offset;
  }

 private:
  ManagedTensor managed_;
};

/// Two devices of a vendor, late unless the test says otherwise. Whatever race the test does not
/// take is a failure.
class OnDevices : public LeakTest, public testing::WithParamInterface<Vendor> {
 protected:
  static constexpr std::size_t size = 64;
  static constexpr std::uint64_t device_memory = std::uint64_t{1} << 24;

  OnDevices() { restart(); }

  void TearDown() override {
    expect_no_race();
    LeakTest::TearDown();
  }

  void restart(Schedule schedule = Schedule::late, int devices = 2) {
    driver_.restart({.vendor = GetParam(),
                     .devices = devices,
                     .memory_per_device = device_memory,
                     .schedule = schedule,
                     .seed = 7});
  }
  template <class Body>
  void on_every_schedule(Body body) {
    for (const Schedule schedule : every_schedule) {
      SCOPED_TRACE(to_text(schedule));
      restart(schedule);
      body();
      expect_no_race();
    }
  }

  // ---- devices ----

  static bool on_cuda() { return GetParam() == Vendor::cuda; }
  static DLDevice device(int ordinal = 0) { return {on_cuda() ? kDLCUDA : kDLROCM, ordinal}; }
  static DLDevice pinned() { return {on_cuda() ? kDLCUDAHost : kDLROCMHost, 0}; }
  static std::vector<DLDevice> shared_memories() {
    if (on_cuda()) return {pinned(), {kDLCUDAManaged, 0}};
    return {pinned()};
  }
  static std::vector<DLDevice> memories() {
    std::vector<DLDevice> all = shared_memories();
    all.insert(all.begin(), {device(0), device(1)});
    return all;
  }
  int current_device() {
    int found = -1;
    ok(driver_.current_device(found));
    return found;
  }

  // ---- what others do ----

  static void ok(Status status) { ASSERT_EQ(status, Status::success); }

  Stream stream(int ordinal = 0, StreamKind kind = StreamKind::non_blocking) {
    const DeviceGuard guard(ordinal);
    Stream made{};
    ok(driver_.create_stream(kind, 0, made));
    return made;
  }
  std::byte* buffer(MemoryKind kind, std::size_t bytes = size) {
    void* made = nullptr;
    ok(driver_.allocate(kind, bytes, made));
    return static_cast<std::byte*>(made);
  }
  /// Enqueues a write of all bytes.
  void fill(Stream on, const Tensor& tensor, int value) {
    ok(driver_.fill_async(tensor.storage().data(), static_cast<std::uint8_t>(value),
                          static_cast<std::size_t>(tensor.storage().size()), on));
  }
  /// What work on a stream finds, when nothing but that stream is waited for.
  Bytes seen_by(Stream on, const std::byte* from) {
    std::byte* const copy = buffer(MemoryKind::pinned);
    ok(driver_.copy_async(copy, from, size, driver::CopyDirection::inferred, on));
    ok(driver_.synchronize_stream(on));
    return bytes_at(copy);
  }
  static Bytes bytes_at(const std::byte* host) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(host);
    return {first, first + size};
  }
  static Bytes all(int value) { return Bytes(size, static_cast<std::uint8_t>(value)); }

  // ---- what was asked of the driver ----

  template <class Body>
  std::vector<Call> calls_of(Body body) {
    driver_.start_trace();
    body();
    return driver_.stop_trace();
  }
  /// Without those that neither order nor move anything.
  template <class Body>
  std::vector<Call> effects_of(Body body) {
    std::vector<Call> calls = calls_of(body);
    std::erase_if(calls, [](const Call& call) {
      constexpr std::array<std::string_view, 5> quiet{
          "current_device", "set_device", "create_event", "destroy_event", "device_count"};
      return std::ranges::find(quiet, call.function) != quiet.end();
    });
    return calls;
  }
  static bool has_waited(const std::vector<Call>& calls) {
    return std::ranges::any_of(calls, &Call::waited);
  }
  /// Where a function stands among the calls; their number when it does not.
  static std::size_t place_of(std::string_view function, const std::vector<Call>& calls) {
    const auto found = std::ranges::find(calls, function, &Call::function);
    return static_cast<std::size_t>(found - calls.begin());
  }

  std::size_t races() { return driver_.take_races().size(); }
  void expect_no_race() {
    for (const driver::Race& race : driver_.take_races())
      ADD_FAILURE() << race.text();
  }

  SimulatedDriver& driver_ =
      (static_cast<void>(driver::select_driver("simulated")), driver::simulated_driver());
};

inline std::string vendor_name(const testing::TestParamInfo<Vendor>& info) {
  return std::string(to_text(info.param));
}

#define DLCERT_ON_BOTH_VENDORS(suite) \
  INSTANTIATE_TEST_SUITE_P(Vendors, suite, testing::Values(Vendor::cuda, Vendor::rocm), vendor_name)

}  // namespace dlcert::reference
