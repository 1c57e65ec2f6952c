// SPDX-License-Identifier: Apache-2.0
//
// What fails on devices, and that nothing stays behind: neither in the host's memory, which every
// test counts, nor in the device's.

#include <gtest/gtest.h>

#include <new>

#include "dlcert/tensor/import.hpp"

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

class DeviceFailureTest : public OnDevices {
 protected:
  static constexpr auto nowhere = static_cast<Stream>(0x12345670);
  static constexpr std::int64_t most = static_cast<std::int64_t>(device_memory) / 2 + 1;

  /// More than half of a device's memory can be had, so nothing else of that size is in use.
  void expect_room(DLDevice there) {
    EXPECT_NO_THROW(static_cast<void>(Tensor::zeros(uint8(), {most}, there))) << to_string(there);
  }
};
DLCERT_ON_BOTH_VENDORS(DeviceFailureTest);

TEST_P(DeviceFailureTest, ThereIsNoMemoryOnDevicesThatAreNotThere) {
  for (const int ordinal : {2, 64, -1}) {
    EXPECT_EQ(kind_of_error([&] { return Tensor::zeros(uint8(), {size}, device(ordinal)); }),
              ErrorKind::value);
    EXPECT_EQ(memory_.live(), LiveAllocations{});
  }
  EXPECT_EQ(current_device(), 0);
  restart(Schedule::late, 0);
  for (const DLDevice there : {device(), pinned()})
    EXPECT_EQ(kind_of_error([&] { return Tensor::zeros(uint8(), {size}, there); }),
              ErrorKind::value);
}

TEST_P(DeviceFailureTest, ASizeIsCheckedBeforeTheDriverIsAsked) {
  EXPECT_TRUE(calls_of([&] {
                EXPECT_EQ(kind_of_error([] { return allocate_storage(-1, device()); }),
                          ErrorKind::value);
              }).empty());
}

TEST_P(DeviceFailureTest, DeviceMemoryHasAnEnd) {
  for (const DLDevice there : {device(0), device(1)}) {
    const Tensor tensor = Tensor::zeros(uint8(), {most}, there);
    EXPECT_THROW(static_cast<void>(Tensor::zeros(uint8(), {most}, there)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(tensor.copy()), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(exporter.managed(tensor, {.copy = true})), std::bad_alloc);
    EXPECT_EQ(memory_.live().blocks, 1);
  }
  EXPECT_EQ(current_device(), 0);
  expect_room(device(0));
  expect_room(device(1));
}

TEST_P(DeviceFailureTest, ShortHostMemoryKeepsNoDeviceMemory) {
  for (const DLDevice there : memories()) {
    memory_.fail_after(0);
    const std::vector<Call> calls = effects_of([&] {
      EXPECT_THROW(static_cast<void>(Tensor::zeros(uint8(), {most}, there)), std::bad_alloc);
    });
    EXPECT_EQ(calls.at(place_of("release", calls)).status, Status::success);
    EXPECT_EQ(memory_.live(), LiveAllocations{});
    expect_room(there);
  }
}

TEST_P(DeviceFailureTest, ShortHostMemoryKeepsNothingOfAnExport) {
  for (const DLDevice there : memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    const LiveAllocations before = memory_.live();
    for (const ExportRequest& request : {ExportRequest{}, ExportRequest{.copy = true},
                                         ExportRequest{.dl_device = Pair{kDLCPU, 0}}}) {
      std::int64_t failures = 0;
      for (bool failed = true; failed; failures += failed ? 1 : 0) {
        memory_.fail_after(failures);
        try {
          const Held held(exporter.managed(tensor, request));
          failed = false;
        } catch (const std::bad_alloc&) {
          EXPECT_EQ(memory_.live(), before);
          EXPECT_EQ(tensor.storage().references(), 1);
        }
        memory_.fail_after(FailingHostMemory::never);
      }
      EXPECT_GE(failures, 1);
    }
  }
}

TEST_P(DeviceFailureTest, AStreamFromNowhereMakesNoTensor) {
  const StreamGuard guard(0, nowhere);
  EXPECT_EQ(code_of_error([] { return Tensor::zeros(uint8(), {most}, device()); }), 400);
  EXPECT_EQ(memory_.live(), LiveAllocations{});
  const StreamGuard known(0, Stream::null);
  expect_room(device());
}

TEST_P(DeviceFailureTest, AStreamFromNowhereMovesNoElements) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  const LiveAllocations before = memory_.live();
  {
    const StreamGuard guard(0, nowhere);
    EXPECT_EQ(code_of_error([&] {
                write(tensor, all(7));
                return 0;
              }),
              400);
    EXPECT_EQ(code_of_error([&] { return logical(tensor); }), 400);
    EXPECT_EQ(code_of_error([&] { return tensor.copy(); }), 400);
    EXPECT_EQ(code_of_error([&] { return tensor.copy_to_host(); }), 400);
    EXPECT_EQ(code_of_error([&] { return exporter.managed(tensor, {}); }), 400);
  }
  EXPECT_EQ(memory_.live(), before);
  EXPECT_EQ(logical(tensor), all(0));
}

TEST_P(DeviceFailureTest, AConsumersStreamFromNowhereIsADeviceError) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  const LiveAllocations before = memory_.live();
  EXPECT_EQ(code_of_error([&] { return exporter.managed(tensor, {.stream = number(nowhere)}); }),
            400);
  EXPECT_EQ(memory_.live(), before);
  EXPECT_EQ(tensor.storage().references(), 1);
}

TEST_P(DeviceFailureTest, AnEndedStreamIsRefusedToo) {
  const Stream ended = stream();
  ok(driver_.destroy_stream(ended));
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  EXPECT_EQ(code_of_error([&] { return exporter.managed(tensor, {.stream = number(ended)}); }),
            400);
}

TEST_P(DeviceFailureTest, TheErrorNamesTheCallAndTheVendorsNumber) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  try {
    static_cast<void>(exporter.managed(tensor, {.stream = number(nowhere)}));
    FAIL();
  } catch (const DeviceError& error) {
    const std::string name = driver::status_name(GetParam(), Status::invalid_handle);
    EXPECT_EQ(error.what(), "expected wait_event to succeed but found " + name + " (400)");
  }
}

TEST_P(DeviceFailureTest, AFailureOfTheDeviceIsReportedByWhateverMeetsIt) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  driver_.fail_next_operation(0, Status::illegal_address);
  EXPECT_EQ(code_of_error([&] { return logical(tensor); }), 700);
  EXPECT_EQ(code_of_error([&] { return tensor.copy(); }), 700);
  EXPECT_EQ(code_of_error([&] { return Tensor::zeros(uint8(), {size}, device()); }), 700);
  const Tensor elsewhere = Tensor::zeros(uint8(), {size}, device(1));
  EXPECT_EQ(logical(elsewhere), all(0));
}

}  // namespace
}  // namespace dlcert::reference
