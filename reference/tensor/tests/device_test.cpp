// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/device.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

class DeviceTest : public OnDevices {};
DLCERT_ON_BOTH_VENDORS(DeviceTest);

TEST_P(DeviceTest, TheCpuIsAlwaysThereOnce) {
  EXPECT_TRUE(is_available(cpu_device));
  EXPECT_FALSE(is_available({kDLCPU, 1}));
  EXPECT_FALSE(is_available({kDLCPU, -1}));
}

TEST_P(DeviceTest, TheDriversDevicesAreThere) {
  EXPECT_TRUE(is_available(device(0)));
  EXPECT_TRUE(is_available(device(1)));
  EXPECT_FALSE(is_available(device(2)));
  EXPECT_FALSE(is_available(device(-1)));
}

TEST_P(DeviceTest, TheOtherVendorsDevicesAreNot) {
  const std::vector<DLDeviceType> others = on_cuda()
                                               ? std::vector{kDLROCM, kDLROCMHost}
                                               : std::vector{kDLCUDA, kDLCUDAHost, kDLCUDAManaged};
  for (const DLDeviceType type : others)
    EXPECT_FALSE(is_available({type, 0})) << type;
}

TEST_P(DeviceTest, PinnedAndManagedMemoryIsThereOnce) {
  for (const DLDevice memory : shared_memories()) {
    EXPECT_TRUE(is_available(memory)) << to_string(memory);
    EXPECT_FALSE(is_available({memory.device_type, 1}));
    EXPECT_FALSE(is_available({memory.device_type, -1}));
  }
}

TEST_P(DeviceTest, OtherTypesOfDevicesAreNotThere) {
  for (const DLDeviceType type : {kDLOneAPI, kDLMetal, static_cast<DLDeviceType>(0),
                                  static_cast<DLDeviceType>(99), static_cast<DLDeviceType>(-1)}) {
    EXPECT_FALSE(is_available({type, 0})) << type;
  }
}

TEST_P(DeviceTest, WithoutDevicesThereIsOnlyTheCpu) {
  restart(Schedule::late, 0);
  EXPECT_TRUE(is_available(cpu_device));
  for (const DLDevice memory : memories())
    EXPECT_FALSE(is_available(memory)) << to_string(memory);
}

TEST_P(DeviceTest, EachTypeIsOneKindOfMemory) {
  EXPECT_EQ(memory_kind(cpu_device), MemoryKind::pageable);
  EXPECT_EQ(memory_kind(device()), MemoryKind::device);
  EXPECT_EQ(memory_kind(pinned()), MemoryKind::pinned);
  EXPECT_EQ(memory_kind({kDLCUDAManaged, 0}), MemoryKind::managed);
}

TEST_P(DeviceTest, ADeviceIsItsOwnOrdinal) {
  EXPECT_EQ(ordinal_of(device(0)), 0);
  EXPECT_EQ(ordinal_of(device(1)), 1);
}

TEST_P(DeviceTest, PinnedAndManagedMemoryFollowsTheCurrentDevice) {
  for (const DLDevice memory : shared_memories()) {
    EXPECT_EQ(ordinal_of(memory), 0);
    const DeviceGuard guard(1);
    EXPECT_EQ(ordinal_of(memory), 1);
  }
}

TEST_P(DeviceTest, ThereIsNoCurrentDeviceWithoutDevices) {
  restart(Schedule::late, 0);
  EXPECT_EQ(code_of_error([] { return ordinal_of(pinned()); }), 100);
}

TEST_P(DeviceTest, AGuardGivesTheDeviceBack) {
  {
    const DeviceGuard one(1);
    EXPECT_EQ(current_device(), 1);
    {
      const DeviceGuard zero(0);
      EXPECT_EQ(current_device(), 0);
    }
    EXPECT_EQ(current_device(), 1);
  }
  EXPECT_EQ(current_device(), 0);
}

TEST_P(DeviceTest, AGuardOfNoDeviceChangesNothing) {
  for (const int ordinal : {2, -1}) {
    EXPECT_EQ(code_of_error([&] {
                const DeviceGuard guard(ordinal);
                return 0;
              }),
              101);
  }
  EXPECT_EQ(current_device(), 0);
}

TEST_P(DeviceTest, EachDeviceHasACurrentStreamThatGuardsGiveBack) {
  const Stream here = stream(0), there = stream(1);
  EXPECT_EQ(current_stream(0), Stream::null);
  {
    const StreamGuard outer(1, there);
    EXPECT_EQ(current_stream(1), there);
    EXPECT_EQ(current_stream(0), Stream::null);
    {
      const StreamGuard inner(0, here);
      const StreamGuard nested(1, Stream::per_thread);
      EXPECT_EQ(current_stream(0), here);
      EXPECT_EQ(current_stream(1), Stream::per_thread);
    }
    EXPECT_EQ(current_stream(1), there);
  }
  EXPECT_EQ(current_stream(0), Stream::null);
  EXPECT_EQ(current_stream(1), Stream::null);
}

TEST_P(DeviceTest, TheCurrentStreamBelongsToTheThread) {
  const StreamGuard guard(0, stream());
  Stream found = Stream::legacy;
  std::thread{[&] { found = current_stream(0); }}.join();
  EXPECT_EQ(found, Stream::null);
}

TEST_P(DeviceTest, SynchronisingADeviceRunsItsWorkAndKeepsTheCurrentDevice) {
  const StreamGuard guard(1, stream(1));
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device(1));
  fill(current_stream(1), tensor, 7);
  EXPECT_GT(driver_.pending(), 0U);
  synchronize_device(1);
  EXPECT_EQ(driver_.pending(), 0U);
  EXPECT_EQ(current_device(), 0);
}

}  // namespace
}  // namespace dlcert::reference
