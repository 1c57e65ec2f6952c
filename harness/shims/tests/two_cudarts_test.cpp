// SPDX-License-Identifier: Apache-2.0
//
// A process with libraries that were made for CUDA 12 and for CUDA 13: two runtimes, one world.

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::shim {
namespace {

// Entry points by name, called by their own types.
class Runtime {
 public:
  explicit Runtime(const char* path) : library_{dlopen(path, RTLD_NOW | RTLD_LOCAL)} {}

  template <class... Arguments>
  cudaError_t operator()(const char* name, Arguments... arguments) {
    void* const entry = library_ == nullptr ? nullptr : dlsym(library_, name);
    if (entry == nullptr) return cudaErrorSharedObjectSymbolNotFound;
    return std::bit_cast<cudaError_t (*)(Arguments...)>(entry)(arguments...);
  }

 private:
  void* library_;
};

class TwoCudartsTest : public testing::Test {
 protected:
  TwoCudartsTest() { driver_.restart({}); }

  driver::SimulatedDriver& driver_ = driver::simulated_driver();
  Runtime of_12_{CUDART_12};
  Runtime of_13_{CUDART_13};
};

TEST_F(TwoCudartsTest, EachTellsItsOwnVersionAndBothThatOfTheDriver) {
  int version = 0;
  EXPECT_EQ(of_12_("cudaRuntimeGetVersion", &version), cudaSuccess);
  EXPECT_EQ(version / 1000, 12);
  EXPECT_EQ(of_13_("cudaRuntimeGetVersion", &version), cudaSuccess);
  EXPECT_EQ(version / 1000, 13);
  EXPECT_EQ(of_12_("cudaDriverGetVersion", &version), cudaSuccess);
  EXPECT_EQ(version, driver_.driver_version());
}

TEST_F(TwoCudartsTest, HandlesAndMemoryOfOneAreKnownToTheOther) {
  void* memory = nullptr;
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t done = nullptr;
  ASSERT_EQ(of_12_("cudaMalloc", &memory, std::size_t{64}), cudaSuccess);
  ASSERT_EQ(of_12_("cudaStreamCreateWithFlags", &stream, 1u), cudaSuccess);
  ASSERT_EQ(of_13_("cudaStreamCreateWithFlags", &other, 1u), cudaSuccess);
  ASSERT_EQ(of_13_("cudaEventCreateWithFlags", &done, 2u), cudaSuccess);
  ASSERT_EQ(of_13_("cudaMemsetAsync", memory, 1, std::size_t{64}, stream), cudaSuccess);
  ASSERT_EQ(of_12_("cudaEventRecord", done, stream), cudaSuccess);
  ASSERT_EQ(of_13_("cudaStreamWaitEvent", other, done, 0u), cudaSuccess);
  ASSERT_EQ(of_12_("cudaMemsetAsync", memory, 2, std::size_t{64}, other), cudaSuccess);
  EXPECT_TRUE(driver_.take_races().empty());
  ASSERT_EQ(of_13_("cudaMemsetAsync", memory, 3, std::size_t{64}, stream), cudaSuccess);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(TwoCudartsTest, EachHasItsOwnLastError) {
  EXPECT_EQ(of_12_("cudaGetDevice", static_cast<int*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(of_13_("cudaGetLastError"), cudaSuccess);
  EXPECT_EQ(of_12_("cudaGetLastError"), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace dlcert::shim
