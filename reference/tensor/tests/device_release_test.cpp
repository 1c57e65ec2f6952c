// SPDX-License-Identifier: Apache-2.0
//
// How memory on devices ends: behind the work of this library that uses it, whatever else is being
// captured meanwhile.

#include <gtest/gtest.h>

#include <thread>

#include "dlcert/tensor/import.hpp"

#include "device_fixture.hpp"
#include "foreign_tensor.hpp"

namespace dlcert::reference {
namespace {

class DeviceReleaseTest : public OnDevices {
 protected:
  /// Memory of somebody else, who overwrites it by the host as soon as it is given back.
  struct Lender {
    Lender(std::byte* data, DLDevice device) : memory(data) {
      foreign.tensor().data = data;
      foreign.tensor().device = device;
      foreign.shape = {1, size};
      foreign.strides = {size, 1};
      foreign.tensor().dtype = uint8().description();
      foreign.managed.manager_ctx = this;
      foreign.managed.deleter = [](DLManagedTensorVersioned* self) {
        auto& lender = *static_cast<Lender*>(self->manager_ctx);
        ++lender.releases;
        driver::simulated_driver().host_access(
            "lender", {driver::AccessKind::write,
                       {reinterpret_cast<std::uintptr_t>(lender.memory), size, {}}});
      };
    }

    ForeignVersioned foreign;
    std::byte* memory;
    int releases = 0;
  };

  std::vector<Call> calls_of_ending(std::optional<Tensor>& tensor) {
    return effects_of([&] { tensor.reset(); });
  }
  driver::CaptureStatus capture_status(Stream capturing) {
    driver::CaptureStatus found{};
    ok(driver_.capture_status(capturing, found));
    return found;
  }
};
DLCERT_ON_BOTH_VENDORS(DeviceReleaseTest);

TEST_P(DeviceReleaseTest, TheLastReferenceWaitsForPendingWorkAndGivesTheMemoryBack) {
  for (const DLDevice there : {device(0), device(1)}) {
    std::optional<Tensor> tensor = Tensor::zeros(uint8(), {size}, there);
    const std::byte* const memory = tensor->first_element();
    const std::vector<Call> calls = calls_of_ending(tensor);
    const std::size_t wait = place_of("synchronize_event", calls);
    ASSERT_LT(wait, place_of("release", calls));
    EXPECT_TRUE(calls[wait].waited);
    EXPECT_EQ(calls[place_of("release", calls)].status, Status::success);
    EXPECT_EQ(driver_.view(memory), nullptr);
    EXPECT_EQ(current_device(), 0);
  }
}

TEST_P(DeviceReleaseTest, PinnedMemoryIsGivenBackToo) {
  for (const DLDevice there : shared_memories()) {
    std::optional<Tensor> tensor = Tensor::zeros(uint8(), {size}, there);
    const std::byte* const memory = tensor->first_element();
    const std::vector<Call> calls = calls_of_ending(tensor);
    EXPECT_EQ(calls.at(place_of("release", calls)).status, Status::success);
    EXPECT_EQ(driver_.view(memory), nullptr) << to_string(there);
  }
}

TEST_P(DeviceReleaseTest, OtherReferencesKeepTheMemory) {
  std::optional<Tensor> tensor = Tensor::zeros(uint8(), {size}, device());
  const std::byte* const memory = tensor->first_element();
  std::optional<Tensor> view = tensor->sliced(0, 8, 8);
  DLManagedTensorVersioned* const managed = exporter.versioned(*tensor);
  EXPECT_TRUE(calls_of_ending(tensor).empty());
  EXPECT_TRUE(calls_of_ending(view).empty());
  EXPECT_NE(driver_.view(memory), nullptr);
  std::thread([managed] { managed->deleter(managed); }).join();
  EXPECT_EQ(driver_.view(memory), nullptr);
}

TEST_P(DeviceReleaseTest, EveryStreamThatUsedTheMemoryIsWaitedFor) {
  const Stream first = stream(), second = stream();
  std::optional<Tensor> tensor = [&] {
    const StreamGuard guard(0, first);
    return Tensor::zeros(uint8(), {size}, device());
  }();
  make_wait(0, first, second);
  std::optional<Tensor> copy = [&] {
    const StreamGuard guard(0, second);
    return tensor->copy();
  }();
  const std::vector<Call> calls = calls_of_ending(tensor);
  EXPECT_EQ(std::ranges::count(calls, "synchronize_event", &Call::function), 2);
  EXPECT_EQ(driver_.query_stream(second), Status::success);
}

TEST_P(DeviceReleaseTest, AStreamMayEndBeforeTheMemoryThatItUsed) {
  const Stream producer = stream();
  std::optional<Tensor> tensor = [&] {
    const StreamGuard guard(0, producer);
    return Tensor::zeros(uint8(), {size}, device());
  }();
  ok(driver_.destroy_stream(producer));
  const std::vector<Call> calls = calls_of_ending(tensor);
  EXPECT_EQ(calls.at(place_of("synchronize_event", calls)).status, Status::success);
  EXPECT_EQ(calls.at(place_of("release", calls)).status, Status::success);
}

TEST_P(DeviceReleaseTest, ManyUsesOfOneStreamCostOneEvent) {
  std::optional<Tensor> tensor = Tensor::zeros(uint8(), {size}, device());
  const std::vector<Call> calls = calls_of([&] {
    for (int value = 0; value < 5; ++value)
      write(*tensor, all(value));
  });
  EXPECT_EQ(place_of("create_event", calls), calls.size());
  const std::vector<Call> ending = calls_of_ending(tensor);
  EXPECT_EQ(std::ranges::count(ending, "synchronize_event", &Call::function), 1);
}

TEST_P(DeviceReleaseTest, ManyWritesThatNothingWaitsForDoNotPileUp) {
  constexpr std::size_t count = 100;
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  for (std::size_t value = 0; value < count; ++value)
    write(tensor, all(static_cast<int>(value)));
  EXPECT_LT(driver_.pending(), count);
}

TEST_P(DeviceReleaseTest, ThreadsUseAndReleaseOneMemoryTogether) {
  constexpr std::size_t count = 4;
  std::optional<Tensor> tensor = Tensor::zeros(uint8(), {size}, device());
  const std::byte* const memory = tensor->first_element();
  write(*tensor, all(7));
  synchronize_device(0);
  std::array<Bytes, count> seen;
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (Bytes& mine : seen) {
    threads.emplace_back([&mine, own = *tensor, stream = stream()] {
      const StreamGuard guard(0, stream);
      for (int round = 0; round < 20; ++round)
        mine = logical(own.copy());
    });
  }
  tensor.reset();
  for (std::thread& thread : threads)
    thread.join();
  for (const Bytes& found : seen)
    EXPECT_EQ(found, all(7));
  EXPECT_EQ(driver_.view(memory), nullptr);
}

TEST_P(DeviceReleaseTest, NothingIsPendingOnALoanThatEnds) {
  on_every_schedule([&] {
    Lender lender(buffer(MemoryKind::device), device());
    const Stream consumer = stream();
    std::optional<Tensor> copy;
    {
      const StreamGuard guard(0, consumer);
      const Tensor imported = importer.import(&lender.foreign.managed);
      write(imported, all(7));
      copy = imported.copy();
      EXPECT_EQ(lender.releases, 0);
    }
    EXPECT_EQ(lender.releases, 1);
    expect_no_race();
    EXPECT_EQ(seen_by(consumer, copy->first_element()), all(7));
  });
}

TEST_P(DeviceReleaseTest, WorkOfOthersOnALoanIsNotWaitedFor) {
  Lender lender(buffer(MemoryKind::device), device());
  const Stream other = stream();
  {
    const Tensor imported = importer.import(&lender.foreign.managed);
    fill(other, imported, 7);
  }
  EXPECT_EQ(lender.releases, 1);
  EXPECT_EQ(races(), 1U);
}

TEST_P(DeviceReleaseTest, AReleaseLeavesTheCaptureOfAnotherStreamValid) {
  for (const driver::CaptureMode mode :
       {driver::CaptureMode::global, driver::CaptureMode::thread_local_only}) {
    std::optional<Tensor> owned = Tensor::zeros(uint8(), {size}, device());
    Lender lender(buffer(MemoryKind::device), device());
    std::optional<Tensor> borrowed = importer.import(&lender.foreign.managed);
    write(*borrowed, all(7));
    const Stream capturing = stream();
    ok(driver_.begin_capture(capturing, mode));
    EXPECT_TRUE(has_waited(calls_of_ending(owned)));
    EXPECT_TRUE(has_waited(calls_of_ending(borrowed)));
    EXPECT_EQ(lender.releases, 1);
    EXPECT_EQ(capture_status(capturing), driver::CaptureStatus::active);
    driver::Graph graph{};
    ok(driver_.end_capture(capturing, graph));
  }
}

TEST_P(DeviceReleaseTest, AReleaseOnAnotherThreadLeavesACaptureValid) {
  std::optional<Tensor> tensor = Tensor::zeros(uint8(), {size}, device());
  const Stream capturing = stream();
  ok(driver_.begin_capture(capturing, driver::CaptureMode::global));
  std::thread([&] { tensor.reset(); }).join();
  EXPECT_EQ(capture_status(capturing), driver::CaptureStatus::active);
  driver::Graph graph{};
  ok(driver_.end_capture(capturing, graph));
}

TEST_P(DeviceReleaseTest, AnAllocationLeavesTheCaptureOfAnotherStreamValid) {
  const StreamGuard guard(0, stream());
  const Stream capturing = stream();
  ok(driver_.begin_capture(capturing, driver::CaptureMode::global));
  for (const DLDevice there : {device(), pinned()})
    EXPECT_EQ(logical(Tensor::zeros(uint8(), {size}, there)), all(0));
  EXPECT_EQ(capture_status(capturing), driver::CaptureStatus::active);
  driver::Graph graph{};
  ok(driver_.end_capture(capturing, graph));
}

}  // namespace
}  // namespace dlcert::reference
