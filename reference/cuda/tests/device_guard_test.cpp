// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, current_device, set_device, _exchange_device, device, device_of.

#include <stdexcept>
#include <thread>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

using DeviceGuardTest = RuntimeTest;

TEST_F(DeviceGuardTest, TheCurrentDeviceFollowsSetDeviceInTheCallingThreadOnly) {
  DeviceSelection& devices = cuda().devices();
  EXPECT_EQ(devices.current(), 0);
  devices.set(std::int64_t{1});
  EXPECT_EQ(devices.current(), 1);
  std::thread{[&] { EXPECT_EQ(devices.current(), 0); }}.join();
  devices.set(std::string("cuda:0"));
  EXPECT_EQ(devices.current(), 0);
}

TEST_F(DeviceGuardTest, SetDeviceIgnoresNegativeIndicesBeforeInitialization) {
  cuda().devices().set(std::int64_t{-1});
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(DeviceGuardTest, SetDeviceRefusesWhatNamesNoDevice) {
  DeviceSelection& devices = cuda().devices();
  EXPECT_THROW(devices.set({}), ValueError);
  EXPECT_THROW(devices.set(std::string("cuda")), ValueError);
  EXPECT_THROW(devices.set(std::string("cpu")), ValueError);
  EXPECT_TRUE(says(error_of<CudaError>([&] { devices.set(std::int64_t{2}); }), {"(101)"}));
  EXPECT_TRUE(says(error_of<CudaError>([&] { devices.set(std::int64_t{1} << 40); }), {"(101)"}));
}

TEST_F(DeviceGuardTest, ExchangeGivesTheFormerDevice) {
  DeviceSelection& devices = cuda().devices();
  EXPECT_EQ(devices.exchange(-1), -1);
  EXPECT_FALSE(lazy().initialized());
  EXPECT_EQ(devices.exchange(1), 0);
  EXPECT_EQ(devices.exchange(0), 1);
  for (const std::int64_t missing : {std::int64_t{2}, std::int64_t{1} << 32}) {
    EXPECT_THROW(devices.exchange(missing), CudaError);
    EXPECT_THROW(devices.maybe_exchange(missing), CudaError);
  }
  EXPECT_EQ(devices.maybe_exchange(-7), -1);
  EXPECT_EQ(devices.current(), 0);
}

TEST_F(DeviceGuardTest, WithoutGpuExchangeRefusesAllButNegativeIndices) {
  DeviceSelection& devices = make({.gpu = false}).devices();
  EXPECT_EQ(devices.exchange(-1), -1);
  EXPECT_EQ(devices.maybe_exchange(-1), -1);
  EXPECT_TRUE(says(error_of<RuntimeError>([&] { devices.exchange(0); }), {"device 0"}));
  EXPECT_TRUE(says(error_of<RuntimeError>([&] { devices.maybe_exchange(1); }), {"device 1"}));
}

TEST_F(DeviceGuardTest, GuardsNestAndLetExceptionsPass) {
  set_driver_device(0);  // and its context is there
  const auto nested = [&] {
    const DeviceGuard outer(cuda().devices(), std::int64_t{1});
    EXPECT_EQ(driver_device(), 1);
    const DeviceGuard inner(cuda().devices(), std::string("cuda:0"));
    EXPECT_EQ(driver_device(), 0);
    throw std::runtime_error("passes");
  };
  EXPECT_THROW(nested(), std::runtime_error);
  EXPECT_EQ(driver_device(), 0);
}

TEST_F(DeviceGuardTest, EnteringDeviceOneFirstTouchesOnlyDeviceOne) {
  {
    const DeviceGuard guard(cuda().devices(), std::int64_t{1});
    EXPECT_EQ(cuda().devices().current(), 1);
  }
  EXPECT_EQ(cuda().devices().current(), 0);
  EXPECT_EQ(driver_.devices_in_use(), std::vector{1});
}

TEST_F(DeviceGuardTest, ADeviceThatWasPutOffBecomesCurrentWhenItIsUsed) {
  { const DeviceGuard guard(cuda().devices(), std::int64_t{1}); }
  EXPECT_EQ(driver_device(), 1);
  cuda().work().synchronize({});
  EXPECT_EQ(driver_.devices_in_use(), (std::vector{0, 1}));
  EXPECT_EQ(cuda().devices().current(), 0);
}

TEST_F(DeviceGuardTest, ADeviceThatWasPutOffIsForgottenWhenSomebodyElseChangesIt) {
  restart({.devices = 3});
  { const DeviceGuard guard(cuda().devices(), std::int64_t{1}); }
  set_driver_device(2);
  EXPECT_EQ(cuda().devices().current(), 2);
}

TEST_F(DeviceGuardTest, TheFormerDeviceIsTheOneThatTheDriverHadAtEntry) {
  set_driver_device(1);
  { const DeviceGuard guard(cuda().devices(), std::int64_t{0}); }
  EXPECT_EQ(driver_device(), 1);
}

TEST_F(DeviceGuardTest, TheFormerDeviceIsReadAtEntryNotWhenTheContextIsMade) {
  const auto context = cuda().device(std::int64_t{0});
  for (const int former : {1, 0, 1}) {
    set_driver_device(former);
    context->enter();
    EXPECT_EQ(driver_device(), 0);
    context->exit();
    EXPECT_EQ(driver_device(), former);
  }
}

TEST_F(DeviceGuardTest, AContextMayBeEnteredWithinItself) {
  set_driver_device(0);
  const auto context = cuda().device(std::int64_t{1});
  context->enter();
  context->enter();
  context->exit();
  EXPECT_EQ(driver_device(), 1);
  context->exit();
  EXPECT_EQ(driver_device(), 0);
  EXPECT_THROW(context->exit(), RuntimeError);
}

TEST_F(DeviceGuardTest, NegativeIndicesAndNoneChangeNothing) {
  set_driver_device(1);
  for (const DeviceArgument& argument : {DeviceArgument{std::int64_t{-1}}, DeviceArgument{}}) {
    const DeviceGuard guard(cuda().devices(), argument);
    EXPECT_EQ(driver_device(), 1);
  }
  EXPECT_EQ(driver_device(), 1);
  EXPECT_THROW(static_cast<void>(cuda().device(std::string("cpu"))), ValueError);
}

TEST_F(DeviceGuardTest, DeviceOfFollowsObjectsOnGpusOnly) {
  set_driver_device(1);
  set_driver_device(0);
  const auto of_gpu = cuda().device_of({.on_gpu = true, .device = 1});
  of_gpu->enter();
  EXPECT_EQ(driver_device(), 1);
  of_gpu->exit();
  const auto of_cpu = cuda().device_of({});
  of_cpu->enter();
  EXPECT_EQ(driver_device(), 0);
  of_cpu->exit();
}

}  // namespace
}  // namespace dlcert::cuda
