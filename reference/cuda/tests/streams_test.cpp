// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, current_stream, default_stream, set_stream, StreamContext.

#include <set>
#include <stdexcept>
#include <thread>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class StreamsTest : public RuntimeTest {
 protected:
  Streams& streams() { return cuda().streams(); }
  Stream take(std::int64_t device) { return streams().take(device); }
  Stream current(std::int64_t device) { return streams().current(device); }

  static void idle(void* /*data*/) {}
};

TEST_F(StreamsTest, TheCurrentStreamIsTheDefaultStreamAtFirst) {
  for (const std::int64_t device : {0, 1}) {
    EXPECT_EQ(current(device), streams().default_stream(device));
    EXPECT_EQ(current(device).handle, driver::Stream::null);
    EXPECT_EQ(current(device).id, 0);
  }
  EXPECT_TRUE(lazy().initialized());
}

TEST_F(StreamsTest, NoneMeansTheCurrentDevice) {
  cuda().devices().set(std::int64_t{1});
  EXPECT_EQ(streams().current({}).device_index, 1);
  EXPECT_EQ(streams().default_stream({}).device_index, 1);
}

TEST_F(StreamsTest, SettingAStreamMakesItAndItsDeviceCurrent) {
  const Stream stream = take(1);
  streams().set(stream);
  EXPECT_EQ(current(1), stream);
  EXPECT_EQ(current(0), streams().default_stream(std::int64_t{0}));
  EXPECT_EQ(streams().default_stream(std::int64_t{1}).handle, driver::Stream::null);
  EXPECT_EQ(driver_device(), 1);
  std::thread{[&] { EXPECT_NE(current(1), stream); }}.join();
}

TEST_F(StreamsTest, AStreamCanBeSetByItsThreeNumbers) {
  const Stream stream = take(1);
  streams().set(stream.id, stream.device_index, stream.device_type);
  EXPECT_EQ(current(1), stream);
  streams().set(0, 1, gpu_device_type);
  EXPECT_EQ(current(1), streams().default_stream(std::int64_t{1}));
}

TEST_F(StreamsTest, SettingNoneChangesNothing) {
  streams().set(std::nullopt);
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(StreamsTest, NumbersThatNameNoStreamAreRefused) {
  const Stream stream = take(1);
  const auto set = [&](std::int64_t id, std::int64_t device, int type) {
    return error_of<RuntimeError>([&] { streams().set(id, device, type); });
  };
  EXPECT_TRUE(says(set(stream.id, 2, gpu_device_type), {"found 2"}));
  EXPECT_TRUE(says(set(stream.id, -1, gpu_device_type), {"found -1"}));
  EXPECT_TRUE(says(set(stream.id, 1, 0), {"device type", "found 0"}));
  EXPECT_TRUE(says(set(-77, 1, gpu_device_type), {"-77"}));
  EXPECT_TRUE(says(set(stream.id, 0, gpu_device_type), {"device 0"})) << "of another device";
}

TEST_F(StreamsTest, IndicesWithoutADeviceAreRefused) {
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{1} << 40}) {
    EXPECT_THROW(static_cast<void>(current(index)), RuntimeError);
    EXPECT_THROW(static_cast<void>(streams().default_stream(index)), RuntimeError);
    EXPECT_THROW(static_cast<void>(take(index)), RuntimeError);
    EXPECT_THROW(static_cast<void>(streams().external(0, index)), RuntimeError);
  }
}

TEST_F(StreamsTest, ThePoolGivesEachStreamOnceAndThenAgain) {
  std::set<std::int64_t> ids;
  std::set<driver::Stream> handles;
  for (const StreamPriority priority : {StreamPriority::normal, StreamPriority::high})
    for (std::size_t i = 0; i < Streams::pool_size; ++i) {
      const Stream stream = streams().take(std::int64_t{0}, priority);
      ids.insert(stream.id);
      handles.insert(stream.handle);
      streams().set(stream);
      EXPECT_EQ(current(0), stream);
    }
  EXPECT_EQ(ids.size(), 2 * Streams::pool_size);
  EXPECT_EQ(handles.size(), 2 * Streams::pool_size);
  EXPECT_TRUE(ids.contains(take(0).id));
}

TEST_F(StreamsTest, TakingAStreamLeavesTheCurrentDevice) {
  set_driver_device(0);
  EXPECT_EQ(take(1).device_index, 1);
  EXPECT_EQ(driver_device(), 0);
}

TEST_F(StreamsTest, TheExternalStreamZeroIsTheDefaultStream) {
  for (const std::int64_t device : {0, 1})
    EXPECT_EQ(streams().external(0, device), streams().default_stream(device));
}

TEST_F(StreamsTest, AnExternalStreamKeepsItsHandle) {
  driver::Stream made{};
  ASSERT_EQ(driver_.create_stream(driver::StreamKind::blocking, 0, made), driver::Status::success);
  const Stream stream = streams().external(static_cast<std::uintptr_t>(made), std::int64_t{0});
  streams().set(stream);
  EXPECT_EQ(current(0).handle, made);
}

TEST_F(StreamsTest, ADefaultStreamIsAskedOnItsOwnDevice) {
  set_driver_device(1);
  ASSERT_EQ(driver_.launch("busy", driver::Stream::null, {}), driver::Status::success);
  set_driver_device(0);
  EXPECT_TRUE(streams().query(streams().default_stream(std::int64_t{0})));
  EXPECT_FALSE(streams().query(streams().default_stream(std::int64_t{1})));
  streams().synchronize(streams().default_stream(std::int64_t{1}));
  EXPECT_TRUE(streams().query(streams().default_stream(std::int64_t{1})));
  EXPECT_EQ(driver_device(), 0);
}

// ---- blocks -------------------------------------------------------------------------------------

TEST_F(StreamsTest, ABlockOnAnotherDevicesStreamRestoresBothDevices) {
  const Stream source = take(0), destination = take(1), entered = take(1);
  streams().set(destination);
  streams().set(source);
  const auto block = [&] {
    const StreamGuard guard(streams(), entered);
    EXPECT_EQ(current(1), entered);
    EXPECT_EQ(current(0), source);
    EXPECT_EQ(driver_device(), 1);
    throw std::runtime_error("passes");
  };
  EXPECT_THROW(block(), std::runtime_error);
  EXPECT_EQ(current(1), destination);
  EXPECT_EQ(current(0), source);
  EXPECT_EQ(driver_device(), 0);
}

TEST_F(StreamsTest, ABlockRestoresTheStreamThatWasSetAndNotTheDefaultOne) {
  const Stream set = take(0), entered = take(0);
  streams().set(set);
  { const StreamGuard guard(streams(), entered); }
  EXPECT_EQ(current(0), set);
}

TEST_F(StreamsTest, AContextReadsTheFormerStreamsAtEntry) {
  const Stream early = take(0), late = take(0), entered = take(0);
  streams().set(early);
  const auto context = cuda().stream(entered);
  streams().set(late);
  context->enter();
  context->enter();
  context->exit();
  EXPECT_EQ(current(0), entered);
  context->exit();
  EXPECT_EQ(current(0), late);
}

TEST_F(StreamsTest, ABlockOfNoneOrWithoutGpuChangesNothing) {
  const Stream stream = take(0);
  streams().set(stream);
  {
    const StreamGuard guard(streams(), std::nullopt);
    EXPECT_EQ(current(0), stream);
  }
  make({.gpu = false});
  const StreamGuard guard(streams(), stream);
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(StreamsTest, ABlockThatCannotBeEnteredWasNotEntered) {
  const auto context = cuda().stream(Stream{.device_index = 9});
  EXPECT_THROW(context->enter(), RuntimeError);
  EXPECT_THROW(context->exit(), RuntimeError);
}

}  // namespace
}  // namespace dlcert::cuda
