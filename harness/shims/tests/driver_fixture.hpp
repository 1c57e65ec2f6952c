// SPDX-License-Identifier: Apache-2.0
//
// A simulated world of two devices, and CUDA's driver API over it.

#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::shim {

/// Of a number that the enumeration may not have, as a caller written in C may give.
template <class Enumeration>
__attribute__((no_sanitize("undefined"))) Enumeration driver_number(int number) {
  Enumeration value{};
  static_assert(sizeof value == sizeof number);
  std::memcpy(&value, &number, sizeof value);
  return value;
}

class DriverApi : public testing::Test {
 protected:
  DriverApi() { driver_.restart({.devices = 2}); }

  /// The primary context of the device, current and retained.
  static CUcontext enter(CUdevice device = 0) {
    CUcontext context = nullptr;
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    return context;
  }

  static CUdeviceptr memory(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc(&address, bytes), CUDA_SUCCESS);
    return address;
  }

  static CUstream stream() {
    CUstream made = nullptr;
    EXPECT_EQ(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return made;
  }

  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
    return context;
  }

  template <std::size_t count>
  static std::array<unsigned char, count> bytes_of(CUdeviceptr address) {
    std::array<unsigned char, count> bytes{};
    EXPECT_EQ(cuMemcpyDtoH(bytes.data(), address, count), CUDA_SUCCESS);
    return bytes;
  }

  driver::SimulatedDriver& driver_ = driver::simulated_driver();
};

}  // namespace dlcert::shim
