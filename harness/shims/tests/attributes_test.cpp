// SPDX-License-Identifier: Apache-2.0
//
// What devices say of themselves and of each other. Source: CUDA Runtime API,
// cudaDeviceGetAttribute, cudaDeviceGetP2PAttribute, cudaChooseDevice, cudaSetValidDevices.

#include <string>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

class Attributes : public ShimTest {
 protected:
  static cudaError_t ask(int attribute, int& value) {
    return cudaDeviceGetAttribute(&value, numbered<cudaDeviceAttr>(attribute), 0);
  }
  static int value_of(cudaDeviceAttr attribute) {
    int value = -1;
    EXPECT_EQ(ask(attribute, value), cudaSuccess);
    return value;
  }
};

// The numbers that the header has no name for.
bool is_a_gap(int attribute) {
  for (const int gap : {44, 102, 103, 104, 105, 107, 110, 136, 137, 146})
    if (attribute == gap) return true;
  return false;
}

TEST_F(Attributes, EveryNumberIsAnsweredOrRefusedByItsName) {
  for (int attribute = 1; attribute < cudaDevAttrMax; ++attribute) {
    int value = -7;
    static_cast<void>(driver_.take_limits());
    testing::internal::CaptureStderr();
    const cudaError_t answer = ask(attribute, value);
    static_cast<void>(testing::internal::GetCapturedStderr());
    const auto limits = driver_.take_limits();
    if (is_a_gap(attribute)) {
      EXPECT_EQ(answer, cudaErrorInvalidValue) << attribute;
    } else if (answer == cudaErrorNotSupported) {
      const std::string named = "cudaDeviceGetAttribute(cudaDevAttrReserved" +
                                std::to_string(attribute) + ") is not modelled";
      EXPECT_EQ(limits, std::vector<std::string>{named});
    } else {
      EXPECT_EQ(answer, cudaSuccess) << attribute;
      EXPECT_GE(value, -1) << attribute;
    }
    EXPECT_EQ(answer == cudaSuccess, value != -7) << attribute;
  }
}

TEST_F(Attributes, OtherNumbersAreInvalid) {
  int value = 0;
  for (const int attribute : {-1, 0, static_cast<int>(cudaDevAttrMax), 100000})
    EXPECT_EQ(ask(attribute, value), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2), cudaErrorInvalidDevice);
}

TEST_F(Attributes, AttributesAreTheProperties) {
  cudaDeviceProp of{};
  ASSERT_EQ(cudaGetDeviceProperties(&of, 0), cudaSuccess);
  EXPECT_EQ(value_of(cudaDevAttrMultiProcessorCount), of.multiProcessorCount);
  EXPECT_EQ(value_of(cudaDevAttrMaxPitch), static_cast<int>(of.memPitch));
  EXPECT_EQ(value_of(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            static_cast<int>(of.sharedMemPerBlockOptin));
  EXPECT_EQ(value_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
            static_cast<int>(of.sharedMemPerMultiprocessor));
  EXPECT_EQ(value_of(cudaDevAttrMaxBlocksPerMultiprocessor), of.maxBlocksPerMultiProcessor);
  EXPECT_EQ(value_of(cudaDevAttrStreamPrioritiesSupported), of.streamPrioritiesSupported);
  EXPECT_EQ(value_of(cudaDevAttrConcurrentManagedAccess), of.concurrentManagedAccess);
  EXPECT_EQ(value_of(cudaDevAttrMemoryPoolsSupported), of.memoryPoolsSupported);
  EXPECT_EQ(value_of(cudaDevAttrUnifiedAddressing), of.unifiedAddressing);
  EXPECT_EQ(value_of(cudaDevAttrTextureAlignment), static_cast<int>(of.textureAlignment));
  EXPECT_EQ(value_of(cudaDevAttrMaxTexture2DLinearPitch), of.maxTexture2DLinear[2]);
  EXPECT_EQ(value_of(cudaDevAttrMaxSurface2DLayeredLayers), of.maxSurface2DLayered[2]);
  EXPECT_EQ(value_of(cudaDevAttrClusterLaunch), of.clusterLaunch);
}

TEST_F(Attributes, ABlockNeedsNoMoreThanAMultiprocessorHas) {
  EXPECT_LE(value_of(cudaDevAttrMaxSharedMemoryPerBlock),
            value_of(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  EXPECT_EQ(value_of(cudaDevAttrMaxSharedMemoryPerBlockOptin) +
                value_of(cudaDevAttrReservedSharedMemoryPerBlock),
            value_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  EXPECT_LE(value_of(cudaDevAttrMaxRegistersPerBlock),
            value_of(cudaDevAttrMaxRegistersPerMultiprocessor));
}

// ---- between devices ----------------------------------------------------------------------------

TEST_F(Attributes, PeersAreDescribed) {
  int value = -1;
  const auto ask_peer = [&](int attribute, int from, int to) {
    return cudaDeviceGetP2PAttribute(&value, numbered<cudaDeviceP2PAttr>(attribute), from, to);
  };
  ASSERT_EQ(ask_peer(cudaDevP2PAttrAccessSupported, 0, 1), cudaSuccess);
  EXPECT_EQ(value, 1);
  ASSERT_EQ(ask_peer(cudaDevP2PAttrPerformanceRank, 0, 1), cudaSuccess);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(ask_peer(cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(ask_peer(cudaDevP2PAttrAccessSupported, 0, 2), cudaErrorInvalidDevice);
  EXPECT_EQ(ask_peer(99, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 1),
            cudaErrorInvalidValue);
  driver_.restart({.vendor = own_vendor, .devices = 2, .without_peer_access = {{0, 1}}});
  ASSERT_EQ(ask_peer(cudaDevP2PAttrAccessSupported, 0, 1), cudaSuccess);
  EXPECT_EQ(value, 0);
}

// ---- choice -------------------------------------------------------------------------------------

TEST_F(Attributes, TheDeviceThatHasWhatIsWantedIsChosen) {
  driver_.restart({.vendor = own_vendor, .devices = 2, .models = {{"old", 7, 0}, {"new", 9, 0}}});
  int device = -1;
  cudaDeviceProp wanted{};
  ASSERT_EQ(cudaChooseDevice(&device, &wanted), cudaSuccess);
  EXPECT_EQ(device, 0);
  wanted.major = 8;
  ASSERT_EQ(cudaChooseDevice(&device, &wanted), cudaSuccess);
  EXPECT_EQ(device, 1);
  wanted.major = 99;
  ASSERT_EQ(cudaChooseDevice(&device, &wanted), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaChooseDevice(nullptr, &wanted), cudaErrorInvalidValue);
  EXPECT_EQ(cudaChooseDevice(&device, nullptr), cudaErrorInvalidValue);
}

TEST_F(Attributes, AListOfDevicesIsChecked) {
  std::vector<int> devices{0, 1};
  EXPECT_EQ(cudaSetValidDevices(devices.data(), 2), cudaSuccess);
  EXPECT_EQ(cudaSetValidDevices(nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaSetValidDevices(nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetValidDevices(devices.data(), 3), cudaErrorInvalidValue);
  devices[1] = 2;
  EXPECT_EQ(cudaSetValidDevices(devices.data(), 2), cudaErrorInvalidDevice);
  devices = {1, 0};
  EXPECT_EQ(cudaSetValidDevices(devices.data(), 2), cudaErrorNotSupported);
}

TEST_F(Attributes, ALinearTextureHasAWidth) {
  std::size_t width = 0;
  const cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc none{};
  ASSERT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 0), cudaSuccess);
  EXPECT_EQ(static_cast<int>(width), value_of(cudaDevAttrMaxTexture1DLinearWidth));
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&width, &none, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&width, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(nullptr, &format, 0), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace dlcert::shim
