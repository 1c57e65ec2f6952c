// SPDX-License-Identifier: Apache-2.0
//
// The end of what a device has. Source: CUDA Runtime API, cudaDeviceReset; HIP Runtime API,
// hipDeviceReset.

#include "registered_code.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

using Reset = ShimTest;

TEST_F(Reset, StreamsEventsAndMemoryEnd) {
  std::byte* const memory = device_memory(64);
  const cudaStream_t stream = new_stream();
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(driver_.view(memory), nullptr);
  EXPECT_EQ(static_cast<int>(cudaStreamQuery(stream)), 400);
  EXPECT_EQ(static_cast<int>(cudaEventDestroy(event)), 400);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_EQ(driver_.living().allocations, 0u);
}

TEST_F(Reset, TheDeviceIsUsedAgain) {
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  std::byte* const memory = device_memory(64);
  EXPECT_EQ(cudaMemset(memory, 1, 64), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Reset, AVariableIsNewAfterwards) {
  int shadow = 0, value = 5, found = -1;
  const void* const symbol = &shadow;
  RegisteredCode code;
  code.add_variable(&shadow, "variable", sizeof shadow);
  ASSERT_EQ(cudaMemcpyToSymbol(symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&found, symbol, sizeof found, 0, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace dlcert::shim
