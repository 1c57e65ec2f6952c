// SPDX-License-Identifier: Apache-2.0
//
// A simulated world of the vendor whose runtime is called.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "shims/tests/gpu_names.hpp"

namespace dlcert::shim {

using driver::Call;

inline constexpr bool is_cuda = gpu::dlpack_device_type == 2;
inline constexpr auto own_vendor = is_cuda ? driver::Vendor::cuda : driver::Vendor::rocm;

/// The runtime's number as the driver gives it.
inline driver::Stream as_driver_stream(cudaStream_t stream) {
  return std::bit_cast<driver::Stream>(stream);
}

/// Of a number that the enumeration may not have, as a caller written in C may give.
template <class Enumeration>
__attribute__((no_sanitize("undefined"))) Enumeration numbered(int number) {
  Enumeration value{};
  static_assert(sizeof value == sizeof number);
  std::memcpy(&value, &number, sizeof value);
  return value;
}

inline std::vector<Call> calls_of(const std::vector<Call>& trace, std::string_view function) {
  std::vector<Call> found;
  std::ranges::copy_if(trace, std::back_inserter(found),
                       [&](const Call& call) { return call.function == function; });
  return found;
}

class ShimTest : public testing::Test {
 protected:
  ShimTest() { driver_.restart({.vendor = own_vendor, .devices = 2}); }

  /// The calls of the driver that `body()` leads to.
  template <class Body>
  std::vector<Call> traced(Body&& body) {
    driver_.start_trace();
    body();
    return driver_.stop_trace();
  }

  /// Memory of the current device, until the next test.
  static std::byte* device_memory(std::size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
    return static_cast<std::byte*>(memory);
  }

  static cudaStream_t new_stream() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
  }

  driver::SimulatedDriver& driver_ = driver::simulated_driver();
};

}  // namespace dlcert::shim
