// SPDX-License-Identifier: Apache-2.0
//
// The example: its bytes, its memory and its streams.

#include "shims/examples/stream_tensor.hpp"

#include <numeric>
#include <stdexcept>
#include <thread>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

using stream_tensor::Stream;
using stream_tensor::Tensor;

constexpr DLDataType float32{kDLFloat, 32, 1};

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t index = 0; index < count; ++index)
    bytes[index] = static_cast<std::byte>(index + 1);
  return bytes;
}

class StreamTensorTest : public ShimTest {
 protected:
  void TearDown() override { use(nullptr); }

  static void use(cudaStream_t stream) {
    for (const int device : {0, 1})
      stream_tensor::set_current_stream(device, stream);
  }

  std::vector<Call> export_traced(const Tensor& tensor, std::optional<std::int64_t> stream) {
    return traced([&] {
      DLManagedTensorVersioned* const managed = tensor.export_to({stream});
      managed->deleter(managed);
    });
  }

  // The one stream that an export makes wait.
  driver::Stream waiting_stream(const Tensor& tensor, std::optional<std::int64_t> stream) {
    const std::vector<Call> waits = calls_of(export_traced(tensor, stream), "wait_event");
    EXPECT_EQ(waits.size(), 1u);
    return waits.empty() ? driver::Stream{99} : waits[0].stream;
  }
};

// ---- bytes --------------------------------------------------------------------------------------

TEST_F(StreamTensorTest, GivesBackWhatItWasMadeFrom) {
  const Stream stream{1};
  use(stream.handle());
  const Tensor tensor = Tensor::from_bytes(some_bytes(24), {2, 3}, float32, 1);
  EXPECT_EQ(tensor.to_bytes(), some_bytes(24));
  EXPECT_EQ(Tensor::zeros({5}, float32, 1).to_bytes(), std::vector<std::byte>(20));
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(StreamTensorTest, WritesReplaceTheBytes) {
  Tensor tensor = Tensor::zeros({6}, float32, 0);
  for (int round = 0; round < 4; ++round)
    tensor.write(some_bytes(24));
  EXPECT_EQ(tensor.to_bytes(), some_bytes(24));
  EXPECT_THROW(tensor.write(some_bytes(23)), std::invalid_argument);
}

TEST_F(StreamTensorTest, MayBeEmptyOrHaveNoAxis) {
  EXPECT_TRUE(Tensor::from_bytes({}, {3, 0}, float32, 0).to_bytes().empty());
  const Tensor scalar = Tensor::from_bytes(some_bytes(4), {}, float32, 0);
  EXPECT_EQ(scalar.view().ndim, 0);
  EXPECT_EQ(scalar.to_bytes(), some_bytes(4));
}

// ---- exports ------------------------------------------------------------------------------------

TEST_F(StreamTensorTest, AnExportDescribesTheTensorAndKeepsItsMemory) {
  DLManagedTensorVersioned* managed = nullptr;
  {
    const Tensor tensor = Tensor::from_bytes(some_bytes(24), {2, 3}, float32, 1);
    managed = tensor.export_to({});
  }
  const DLTensor& exported = managed->dl_tensor;
  EXPECT_EQ(exported.device.device_id, 1);
  EXPECT_EQ(exported.device.device_type, static_cast<DLDeviceType>(gpu::dlpack_device_type));
  EXPECT_EQ(exported.shape[1], 3);
  EXPECT_EQ(exported.strides[0], 3);
  const void* const memory = exported.data;
  EXPECT_EQ(Tensor::import(managed).to_bytes(), some_bytes(24));
  EXPECT_EQ(driver_.view(memory), nullptr) << "the memory was not freed";
}

TEST_F(StreamTensorTest, NamesTheStreamThatWaits) {
  const Stream producer{0}, consumer{0};
  use(producer.handle());
  const Tensor tensor = Tensor::zeros({6}, float32, 0);
  const auto legacy = as_driver_stream(gpu::legacy_stream());
  const auto handle = std::bit_cast<std::int64_t>(consumer.handle());
  EXPECT_EQ(waiting_stream(tensor, std::nullopt), legacy);
  EXPECT_EQ(waiting_stream(tensor, gpu::legacy_stream_number), legacy);
  EXPECT_EQ(waiting_stream(tensor, handle), as_driver_stream(consumer.handle()));
  if (gpu::numbers_per_thread_stream) {
    EXPECT_EQ(waiting_stream(tensor, 2), driver::Stream::per_thread);
  }
}

TEST_F(StreamTensorTest, AsksForNoOrderWhereNoneIsNeeded) {
  const Stream stream{0};
  const Tensor tensor = Tensor::zeros({6}, float32, 0);
  EXPECT_TRUE(export_traced(tensor, -1).empty());
  EXPECT_TRUE(calls_of(export_traced(tensor, gpu::legacy_stream_number), "record_event").empty());
  EXPECT_TRUE(calls_of(export_traced(tensor, std::nullopt), "record_event").empty());
  use(stream.handle());
  const auto handle = std::bit_cast<std::int64_t>(stream.handle());
  EXPECT_TRUE(calls_of(export_traced(tensor, handle), "record_event").empty());
}

TEST_F(StreamTensorTest, RefusesNumbersThatNameNoStream) {
  const Tensor tensor = Tensor::zeros({6}, float32, 0);
  const std::vector<std::int64_t> refused = gpu::numbers_per_thread_stream
                                                ? std::vector<std::int64_t>{0, -2}
                                                : std::vector<std::int64_t>{1, 2, -2};
  for (const std::int64_t number : refused)
    EXPECT_THROW(static_cast<void>(tensor.export_to({number})), std::invalid_argument) << number;
}

TEST_F(StreamTensorTest, ExportsWhileAnotherDeviceIsCurrent) {
  const Stream consumer{1};
  const Tensor tensor = Tensor::zeros({6}, float32, 1);
  const std::vector<Call> trace =
      export_traced(tensor, std::bit_cast<std::int64_t>(consumer.handle()));
  ASSERT_EQ(calls_of(trace, "record_event").size(), 1u);
  EXPECT_EQ(calls_of(trace, "record_event")[0].device, 1);
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
}

// ---- imports ------------------------------------------------------------------------------------

TEST_F(StreamTensorTest, AConsumerNamesTheCurrentStreamOfTheSourcesDevice) {
  const Stream stream{1};
  stream_tensor::set_current_stream(1, stream.handle());
  EXPECT_EQ(stream_tensor::stream_for_producer(0), gpu::legacy_stream_number);
  EXPECT_EQ(stream_tensor::stream_for_producer(1), std::bit_cast<std::int64_t>(stream.handle()));
  std::thread{[] {
    EXPECT_EQ(stream_tensor::stream_for_producer(1), gpu::legacy_stream_number);
  }}.join();
}

TEST_F(StreamTensorTest, AnImportOnItsOwnStreamSeesTheBytes) {
  const Stream producer{0}, consumer{0};
  use(producer.handle());
  const Tensor tensor = Tensor::from_bytes(some_bytes(24), {6}, float32, 0);
  const auto number = std::bit_cast<std::int64_t>(consumer.handle());
  DLManagedTensorVersioned* const managed = tensor.export_to({number});
  use(consumer.handle());
  EXPECT_EQ(Tensor::import(managed).to_bytes(), some_bytes(24));
  EXPECT_TRUE(driver_.take_races().empty());
}

class Managed {
 public:
  Managed() {
    managed_.version = {DLPACK_MAJOR_VERSION, 0};
    managed_.manager_ctx = this;
    managed_.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Managed*>(self->manager_ctx)->deleted_;
    };
    managed_.dl_tensor.device = {static_cast<DLDeviceType>(gpu::dlpack_device_type), 0};
    managed_.dl_tensor.dtype = float32;
    managed_.dl_tensor.ndim = 2;
    managed_.dl_tensor.shape = shape_;
    managed_.dl_tensor.strides = strides_;
  }

  DLManagedTensorVersioned& operator*() { return managed_; }
  [[nodiscard]] int deleted() const { return deleted_; }

 private:
  DLManagedTensorVersioned managed_{};
  std::int64_t shape_[2] = {2, 3};
  std::int64_t strides_[2] = {3, 1};
  int deleted_ = 0;
};

TEST_F(StreamTensorTest, TheDeleterRunsOnceBehindTheLastTensor) {
  Managed managed;
  {
    std::vector<Tensor> tensors(2, Tensor::import(&*managed));
    tensors.pop_back();
    EXPECT_EQ(managed.deleted(), 0);
  }
  EXPECT_EQ(managed.deleted(), 1);
}

TEST_F(StreamTensorTest, WhatIsRefusedIsDeletedOnce) {
  const auto refuses = [](auto&& change) {
    Managed managed;
    change(*managed);
    EXPECT_THROW(static_cast<void>(Tensor::import(&*managed)), std::invalid_argument);
    EXPECT_EQ(managed.deleted(), 1);
  };
  refuses([](auto& managed) { managed.version.major = 2; });
  refuses([](auto& managed) { managed.dl_tensor.device = {kDLCPU, 0}; });
  refuses([](auto& managed) { managed.dl_tensor.dtype.bits = 4; });
  refuses([](auto& managed) { managed.dl_tensor.strides[0] = 4; });
}

TEST_F(StreamTensorTest, ReadOnlyMemoryStaysReadOnly) {
  Managed managed;
  (*managed).flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  Tensor tensor = Tensor::import(&*managed);
  EXPECT_THROW(tensor.write(some_bytes(24)), std::invalid_argument);
  DLManagedTensorVersioned* const again = tensor.export_to({-1});
  EXPECT_EQ(again->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  again->deleter(again);
}

}  // namespace
}  // namespace dlcert::shim
