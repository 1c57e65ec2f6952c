// SPDX-License-Identifier: Apache-2.0
//
// What the consumer enqueues runs behind what the producer has enqueued, and nobody waits on the
// host. Sources: array API 2024.12, `__dlpack__`; Python specification of DLPack,
// "Synchronization".

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

class StreamOrderTest : public OnDevices {
 protected:
  /// What a consumer may pass for a tensor on a device, and the stream that it stands for.
  struct Accepted {
    Argument argument;
    Stream stream;
  };
  std::vector<Accepted> accepted(int ordinal = 0) {
    std::vector<Accepted> all{{Absent{}, Stream::null}, {None{}, Stream::null}};
    if (on_cuda()) {
      all.push_back({std::int64_t{1}, Stream::legacy});
      all.push_back({std::int64_t{2}, Stream::per_thread});
    } else {
      all.push_back({std::int64_t{0}, Stream::null});
    }
    const Stream handle = stream(ordinal);
    all.push_back({number(handle), handle});
    return all;
  }
  static Argument number_of_default() { return std::int64_t{on_cuda() ? 1 : 0}; }

  static ManagedTensor exported(const Tensor& tensor, const ExportRequest& request) {
    return exporter.managed(tensor, request);
  }
  /// The refusal of an export that has asked nothing of the driver and kept nothing.
  std::optional<ErrorKind> refusal(const Tensor& tensor, const ExportRequest& request) {
    const LiveAllocations before = memory_.live();
    std::optional<ErrorKind> kind;
    EXPECT_TRUE(
        calls_of([&] { kind = kind_of_error([&] { return exported(tensor, request); }); }).empty());
    EXPECT_EQ(memory_.live(), before);
    EXPECT_EQ(tensor.storage().references(), 1);
    return kind;
  }

  std::vector<Call> calls_of_export(const Tensor& tensor, const Argument& argument) {
    return effects_of([&] { const Held held(exported(tensor, {.stream = argument})); });
  }
  static void expect_wait(const std::vector<Call>& calls, Stream producer, Stream consumer) {
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].function, "record_event");
    EXPECT_EQ(calls[0].stream, producer);
    EXPECT_EQ(calls[1].function, "wait_event");
    EXPECT_EQ(calls[1].stream, consumer);
    EXPECT_EQ(calls[0].event, calls[1].event);
    EXPECT_FALSE(has_waited(calls));
  }
};
DLCERT_ON_BOTH_VENDORS(StreamOrderTest);

TEST_P(StreamOrderTest, RefusesNumbersThatNameNoStream) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  std::vector<std::int64_t> refused{-2, std::numeric_limits<std::int64_t>::min()};
  if (on_cuda()) {
    refused.push_back(0);
  } else {
    refused.insert(refused.end(), {1, 2});
  }
  for (const std::int64_t stream : refused)
    EXPECT_EQ(refusal(tensor, {.stream = stream}), ErrorKind::value) << stream;
}

TEST_P(StreamOrderTest, RefusesWhatIsNoNumber) {
  for (const DLDevice there : {device(), pinned()}) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    for (const Argument& stream :
         {Argument{true}, Argument{false}, Argument{1.0}, Argument{"1"}, Argument{Pair{1, 0}}}) {
      EXPECT_EQ(refusal(tensor, {.stream = stream}), ErrorKind::type) << to_string(stream);
    }
  }
}

TEST_P(StreamOrderTest, AcceptsEveryStreamThatTheStandardNames) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  for (const Accepted& consumer : accepted())
    const Held held(exported(tensor, {.stream = consumer.argument}));
  const Held held(exported(tensor, {.stream = std::int64_t{-1}}));
  EXPECT_EQ(tensor.storage().references(), 2);
}

TEST_P(StreamOrderTest, TheConsumersStreamWaitsForTheProducersCurrentOne) {
  const StreamGuard guard(0, stream());
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  for (const Accepted& consumer : accepted()) {
    SCOPED_TRACE(to_string(consumer.argument));
    expect_wait(calls_of_export(tensor, consumer.argument), current_stream(0), consumer.stream);
  }
}

TEST_P(StreamOrderTest, MinusOneAsksNothingOfTheDriver) {
  for (const DLDevice there : memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    EXPECT_TRUE(calls_of([&] {
                  DLManagedTensor* const managed =
                      std::get<DLManagedTensor*>(exported(tensor, {.stream = std::int64_t{-1}}));
                  managed->deleter(managed);
                }).empty());
  }
}

TEST_P(StreamOrderTest, OneStreamNeedsNoWait) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  EXPECT_TRUE(calls_of_export(tensor, Absent{}).empty());
  EXPECT_TRUE(calls_of_export(tensor, None{}).empty());
  EXPECT_TRUE(calls_of_export(tensor, number_of_default()).empty()) << "null is legacy";
  {
    const StreamGuard guard(0, Stream::legacy);
    EXPECT_TRUE(calls_of_export(tensor, None{}).empty());
    EXPECT_TRUE(calls_of_export(tensor, number_of_default()).empty());
  }
  const StreamGuard guard(0, stream());
  EXPECT_TRUE(calls_of_export(tensor, number(current_stream(0))).empty());
}

TEST_P(StreamOrderTest, ThePerThreadStreamIsNotTheDefaultOne) {
  const StreamGuard guard(0, Stream::per_thread);
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  expect_wait(calls_of_export(tensor, None{}), Stream::per_thread, Stream::null);
}

class CudaStreamOrderTest : public StreamOrderTest {};
INSTANTIATE_TEST_SUITE_P(Vendors, CudaStreamOrderTest, testing::Values(Vendor::cuda), vendor_name);

TEST_P(CudaStreamOrderTest, ThePerThreadStreamHasANumberToo) {
  const StreamGuard guard(0, Stream::per_thread);
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  EXPECT_TRUE(calls_of_export(tensor, std::int64_t{2}).empty());
  expect_wait(calls_of_export(tensor, std::int64_t{1}), Stream::per_thread, Stream::legacy);
}

TEST_P(StreamOrderTest, TensorsOnTheCpuAskNothingOfTheDriver) {
  EXPECT_TRUE(calls_of([&] {
                const Tensor tensor = Tensor::zeros(uint8(), {size});
                write(tensor, all(7));
                EXPECT_EQ(logical(tensor.copy()), all(7));
                const Held shared(exported(tensor, {}));
                const Held copied(exported(tensor, {.dl_device = Pair{kDLCPU, 0}, .copy = true}));
              }).empty());
}

TEST_P(StreamOrderTest, PendingWorkIsSeenByTheConsumersStreamAlone) {
  on_every_schedule([&] {
    for (const Accepted& consumer : accepted()) {
      SCOPED_TRACE(to_string(consumer.argument));
      const StreamGuard guard(0, stream());
      const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
      fill(current_stream(0), tensor, 7);
      const Held held(exported(tensor, {.stream = consumer.argument}));
      EXPECT_EQ(seen_by(consumer.stream, held.first_element()), all(7));
    }
  });
}

TEST_P(StreamOrderTest, PendingWorkIsStillPendingAfterTheExport) {
  const StreamGuard guard(0, stream());
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  fill(current_stream(0), tensor, 7);
  const std::size_t pending = driver_.pending();
  const Stream consumer = stream();
  const Held held(exported(tensor, {.stream = number(consumer)}));
  EXPECT_GE(driver_.pending(), pending);
}

TEST_P(StreamOrderTest, WithoutOrderTheConsumerSeesTheOldDataAndARace) {
  const StreamGuard guard(0, stream());
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  ok(driver_.synchronize_stream(current_stream(0)));
  fill(current_stream(0), tensor, 7);
  const Held held(exported(tensor, {.stream = std::int64_t{-1}}));
  EXPECT_EQ(seen_by(stream(), held.first_element()), all(0));
  EXPECT_EQ(races(), 1U);
}

TEST_P(StreamOrderTest, WorkAfterTheExportIsNotWaitedFor) {
  const StreamGuard guard(0, stream());
  const Stream consumer = stream();
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  const Held held(exported(tensor, {.stream = number(consumer)}));
  fill(current_stream(0), tensor, 7);
  EXPECT_EQ(seen_by(consumer, held.first_element()), all(0));
  EXPECT_EQ(races(), 1U);
}

TEST_P(StreamOrderTest, ATensorOnAnotherDeviceIsOrderedThere) {
  const Stream producer = stream(1), elsewhere = stream(0);
  const StreamGuard current_there(1, producer);
  const StreamGuard current_here(0, elsewhere);
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device(1));
  for (const Accepted& consumer : accepted(1)) {
    SCOPED_TRACE(to_string(consumer.argument));
    fill(producer, tensor, 7);
    std::optional<Held> held;
    const std::vector<Call> calls =
        effects_of([&] { held.emplace(exported(tensor, {.stream = consumer.argument})); });
    expect_wait(calls, producer, consumer.stream);
    for (const Call& call : calls)
      EXPECT_EQ(call.device, 1) << "of which default streams are meant";
    EXPECT_EQ(current_device(), 0);
    const DeviceGuard consumers_device(1);
    EXPECT_EQ(seen_by(consumer.stream, held->first_element()), all(7));
    synchronize_device(1);
  }
}

TEST_P(StreamOrderTest, TheProducersStreamIsTheOneOfTheCallingThread) {
  const Stream mine = stream(), consumer = stream();
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  const StreamGuard guard(0, mine);
  std::thread{[&] {
    expect_wait(calls_of_export(tensor, number(consumer)), Stream::null, consumer);
  }}.join();
  expect_wait(calls_of_export(tensor, number(consumer)), mine, consumer);
}

TEST_P(StreamOrderTest, PinnedAndManagedMemoryIsCompleteForTheHostWhateverTheStream) {
  on_every_schedule([&] {
    for (const DLDevice there : shared_memories()) {
      for (const Argument& any : {Argument{Absent{}}, Argument{None{}}, number(stream())}) {
        SCOPED_TRACE(to_string(there));
        const StreamGuard guard(0, stream());
        const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
        fill(current_stream(0), tensor, 7);
        std::optional<Held> held;
        const std::vector<Call> calls =
            effects_of([&] { held.emplace(exported(tensor, {.stream = any})); });
        EXPECT_TRUE(std::ranges::any_of(calls, [&](const Call& call) {
          return call.function == "synchronize_stream" && call.stream == current_stream(0);
        }));
        EXPECT_EQ(bytes_at(held->first_element()), all(7));
      }
    }
  });
}

TEST_P(StreamOrderTest, PinnedAndManagedMemoryHasTheVendorsStreamNumbers) {
  for (const DLDevice there : shared_memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    for (const std::int64_t stream : {0, 1, 2}) {
      const bool is_legal = on_cuda() == (stream > 0);
      EXPECT_EQ(kind_of_error([&] {
                  const Held held(exported(tensor, {.stream = stream}));
                  return 0;
                }),
                is_legal ? std::nullopt : std::optional(ErrorKind::value))
          << stream;
    }
  }
}

}  // namespace
}  // namespace dlcert::reference
