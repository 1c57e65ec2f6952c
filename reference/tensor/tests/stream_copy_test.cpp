// SPDX-License-Identifier: Apache-2.0
//
// Exports that copy: on which stream, behind what, and in front of what.

#include <gtest/gtest.h>

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

class StreamCopyTest : public OnDevices {
 protected:
  static constexpr Pair cpu{kDLCPU, 0};

  static ManagedTensor exported(const Tensor& tensor, const ExportRequest& request) {
    return exporter.managed(tensor, {.stream = request.stream,
                                     .max_version = Pair{1, 3},
                                     .dl_device = request.dl_device,
                                     .copy = request.copy});
  }
  static std::optional<ErrorKind> refusal(const Tensor& tensor, const ExportRequest& request) {
    return kind_of_error([&] { return exported(tensor, request); });
  }
  /// Zeros, and the number 7 pending on a stream.
  Tensor seven_pending(DLDevice there) {
    Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    ok(driver_.synchronize_device());
    fill(current_stream(ordinal_of(there)), tensor, 7);
    return tensor;
  }
};
DLCERT_ON_BOTH_VENDORS(StreamCopyTest);

TEST_P(StreamCopyTest, ACopyIsMadeByTheConsumersStreamBehindTheProducersWork) {
  on_every_schedule([&] {
    const Stream producer = stream(), consumer = stream();
    const StreamGuard guard(0, producer);
    const Tensor tensor = seven_pending(device());
    std::optional<Held> held;
    const std::vector<Call> calls = effects_of(
        [&] { held.emplace(exported(tensor, {.stream = number(consumer), .copy = true})); });
    EXPECT_FALSE(has_waited(calls));
    EXPECT_LT(place_of("wait_event", calls), place_of("copy_async", calls));
    for (const Call& call : calls) {
      if (call.function == "copy_async" || call.function == "fill_async") {
        EXPECT_EQ(call.stream, consumer);
      }
    }
    EXPECT_NE(held->first_element(), tensor.first_element());
    EXPECT_EQ(seen_by(consumer, held->first_element()), all(7));
    EXPECT_EQ(current_stream(0), producer);
  });
}

TEST_P(StreamCopyTest, WithoutAnOrderTheProducersStreamMakesTheCopy) {
  const StreamGuard guard(0, stream());
  const Tensor tensor = seven_pending(device());
  const Held held(exported(tensor, {.stream = std::int64_t{-1}, .copy = true}));
  EXPECT_EQ(seen_by(current_stream(0), held.first_element()), all(7));
}

TEST_P(StreamCopyTest, TheProducerMayOverwriteItsTensorAfterACopy) {
  on_every_schedule([&] {
    const Stream consumer = stream();
    const StreamGuard guard(0, stream());
    const Tensor tensor = seven_pending(device());
    const Held held(exported(tensor, {.stream = number(consumer), .copy = true}));
    fill(current_stream(0), tensor, 9);
    ok(driver_.synchronize_stream(current_stream(0)));
    EXPECT_EQ(seen_by(consumer, held.first_element()), all(7));
  });
}

TEST_P(StreamCopyTest, CopiesOfPinnedAndManagedMemoryHoldThePendingWork) {
  for (const DLDevice there : shared_memories()) {
    SCOPED_TRACE(to_string(there));
    const Stream consumer = stream();
    const StreamGuard guard(0, stream());
    for (const Argument& argument : {Argument{Absent{}}, number(consumer)}) {
      SCOPED_TRACE(to_string(argument));
      const Tensor tensor = seven_pending(there);
      const Held held(exported(tensor, {.stream = argument, .copy = true}));
      EXPECT_NE(held.first_element(), tensor.first_element());
      EXPECT_EQ(seen_by(consumer, held.first_element()), all(7));
    }
    const Tensor tensor = seven_pending(there);
    const Held held(exported(tensor, {.stream = std::int64_t{-1}, .copy = true}));
    EXPECT_EQ(seen_by(current_stream(0), held.first_element()), all(7));
  }
}

TEST_P(StreamCopyTest, ACopyForTheCpuIsCompleteWhenTheExportReturns) {
  on_every_schedule([&] {
    for (const DLDevice there : memories()) {
      for (const Argument& copy : {Argument{Absent{}}, Argument{true}}) {
        SCOPED_TRACE(to_string(there));
        const int ordinal = ordinal_of(there);
        const StreamGuard guard(ordinal, stream(ordinal));
        const Tensor tensor = seven_pending(there);
        const Held held(exported(tensor, {.dl_device = cpu, .copy = copy}));
        EXPECT_TRUE(same_device(held.tensor().device, cpu_device));
        EXPECT_EQ(bytes_at(held.first_element()), all(7));
        EXPECT_EQ(tensor.storage().references(), 1);
        EXPECT_EQ(current_device(), 0);
      }
    }
  });
}

TEST_P(StreamCopyTest, ACopyForTheCpuIsMarkedAsOne) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  for (const ExportRequest& request :
       {ExportRequest{.dl_device = cpu}, ExportRequest{.copy = true}}) {
    const ManagedTensor managed = exported(tensor, request);
    const Held held(managed);
    EXPECT_EQ(std::get<DLManagedTensorVersioned*>(managed)->flags, flag_copied);
  }
}

TEST_P(StreamCopyTest, TheCpuCannotShareADevicesMemory) {
  for (const DLDevice there : memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    EXPECT_EQ(refusal(tensor, {.dl_device = cpu, .copy = false}), ErrorKind::buffer);
    EXPECT_EQ(tensor.storage().references(), 1);
  }
}

TEST_P(StreamCopyTest, ThereIsNoStreamForTheCpu) {
  for (const DLDevice there : memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    for (const std::int64_t stream : {-1, 0, 1, 2})
      EXPECT_EQ(refusal(tensor, {.stream = stream, .dl_device = cpu}), ErrorKind::value) << stream;
    const Held held(exported(tensor, {.stream = None{}, .dl_device = cpu}));
  }
}

TEST_P(StreamCopyTest, OtherDevicesAreRefused) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device(0));
  const Tensor host = Tensor::zeros(uint8(), {size});
  for (const DLDevice other : {device(1), pinned(), DLDevice{kDLOneAPI, 0}}) {
    const Pair asked{other.device_type, other.device_id};
    EXPECT_EQ(refusal(tensor, {.dl_device = asked}), ErrorKind::buffer) << to_string(other);
    EXPECT_EQ(refusal(host, {.dl_device = asked}), ErrorKind::buffer) << to_string(other);
  }
  const Held own(exported(tensor, {.dl_device = Pair{device().device_type, 0}, .copy = false}));
  EXPECT_EQ(own.first_element(), tensor.first_element());
}

}  // namespace
}  // namespace dlcert::reference
