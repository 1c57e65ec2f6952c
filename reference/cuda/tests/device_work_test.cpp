// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, synchronize, ipc_collect, _sleep, current_blas_handle,
// set_sync_debug_mode, check_error, cudaStatus.

#include <thread>

#include "dlcert/cuda/runtime_status.hpp"

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

using DeviceWorkTest = RuntimeTest;

TEST_F(DeviceWorkTest, SynchronizeWaitsForAllStreamsOfADeviceAndStaysOnTheCurrentOne) {
  const Stream first = cuda().streams().take(std::int64_t{1});
  const Stream second = cuda().streams().take(std::int64_t{1});
  set_driver_device(1);
  for (const Stream& stream : {first, second})
    ASSERT_EQ(driver_.launch("work", stream.handle, {}), driver::Status::success);
  set_driver_device(0);
  EXPECT_EQ(driver_.pending(), 2U);
  cuda().work().synchronize(std::int64_t{0});
  EXPECT_EQ(driver_.pending(), 2U) << "the other device's";
  cuda().work().synchronize(std::string("cuda:1"));
  EXPECT_EQ(driver_.pending(), 0U);
  EXPECT_EQ(driver_device(), 0);
}

TEST_F(DeviceWorkTest, SleepIsOneItemOfTheCurrentStreamAndDoesNotBlockTheHost) {
  const Stream stream = cuda().streams().take(std::int64_t{1});
  cuda().streams().set(stream);
  driver_.start_trace();
  cuda().work().sleep(1000);
  std::size_t items = 0;
  for (const driver::Call& call : driver_.stop_trace()) {
    EXPECT_FALSE(call.waited) << call.function;
    if (call.function == "launch_host_function") {
      ++items;
      EXPECT_EQ(call.stream, stream.handle);
    }
  }
  EXPECT_EQ(items, 1U);
  EXPECT_FALSE(cuda().streams().query(stream));
  cuda().streams().synchronize(stream);
  EXPECT_TRUE(cuda().streams().query(stream));
}

TEST_F(DeviceWorkTest, SleepOfANegativeTimeIsRefused) {
  EXPECT_TRUE(says(error_of<RuntimeError>([&] { cuda().work().sleep(-1); }), {"-1"}));
}

TEST_F(DeviceWorkTest, ABlasHandleBelongsToAThreadADeviceAndAStream) {
  DeviceWork& work = cuda().work();
  const std::uintptr_t handle = work.blas_handle();
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(work.blas_handle(), handle);
  std::thread{[&] { EXPECT_NE(work.blas_handle(), handle); }}.join();
  cuda().streams().set(cuda().streams().take(std::int64_t{0}));
  EXPECT_NE(work.blas_handle(), handle);
  cuda().streams().set(cuda().streams().default_stream(std::int64_t{1}));
  EXPECT_NE(work.blas_handle(), handle);
  cuda().streams().set(cuda().streams().default_stream(std::int64_t{0}));
  EXPECT_EQ(work.blas_handle(), handle);
}

TEST_F(DeviceWorkTest, SyncDebugModesAreSetByNumberOrNameAndReadAsNumbers) {
  DeviceWork& work = cuda().work();
  EXPECT_EQ(work.sync_debug_mode(), 0);
  for (const std::int64_t mode : {1, 2, 0}) {
    work.set_sync_debug_mode(mode);
    EXPECT_EQ(work.sync_debug_mode(), mode);
  }
  int number = 0;
  for (const char* const name : {"default", "warn", "error"}) {
    work.set_sync_debug_mode(std::string(name));
    EXPECT_EQ(work.sync_debug_mode(), number++);
  }
}

TEST_F(DeviceWorkTest, OtherSyncDebugModesAreRefusedAndChangeNothing) {
  DeviceWork& work = cuda().work();
  work.set_sync_debug_mode(std::int64_t{1});
  for (const std::int64_t mode : {-1, 3})
    EXPECT_TRUE(says(error_of<RuntimeError>([&] { work.set_sync_debug_mode(mode); }),
                     {std::to_string(mode).c_str()}));
  EXPECT_TRUE(says(error_of<RuntimeError>([&] { work.set_sync_debug_mode(std::string("foo")); }),
                   {"'foo'"}));
  EXPECT_EQ(work.sync_debug_mode(), 1);
}

// ---- statuses -----------------------------------------------------------------------------------

TEST_F(DeviceWorkTest, CheckErrorTellsTheRuntimesTextAndTheCode) {
  check_error(0);
  try {
    check_error(2);
    FAIL() << "no exception";
  } catch (const CudaError& error) {
    EXPECT_STREQ(error.what(), "out of memory (2)");
    EXPECT_EQ(error.code(), 2);
  }
  EXPECT_THROW(check_error(101), RuntimeError);
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(DeviceWorkTest, CheckErrorSpeaksTheVendorsWords) {
  restart({.vendor = driver::Vendor::rocm});
  EXPECT_EQ(error_of<CudaError>([] { check_error(2); }), "hipErrorOutOfMemory (2)");
}

TEST_F(DeviceWorkTest, ThePublishedConstantsAreTheOldOnes) {
  EXPECT_EQ(published_success, 0);
  EXPECT_EQ(published_not_ready, 34);
}

TEST_F(DeviceWorkTest, TheModuleSaysWhatItWasBuiltWith) {
  EXPECT_TRUE(Cuda::has_half);
  EXPECT_FALSE(cuda().has_magma());
  EXPECT_TRUE(make({.magma = true}).has_magma());
}

}  // namespace
}  // namespace dlcert::cuda
