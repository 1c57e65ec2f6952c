// SPDX-License-Identifier: Apache-2.0
//
// Variables of devices, registered as the compilers do it. Source: CUDA Runtime API,
// cudaMemcpyToSymbol, cudaMemcpyFromSymbol, cudaGetSymbolAddress, cudaGetSymbolSize.

#include "registered_code.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

int shadow = 0;
const void* const symbol = &shadow;

class Symbols : public ShimTest {
 protected:
  Symbols() {
    code_.add_variable(&shadow, "variable", sizeof shadow);
    static_cast<void>(driver_.take_limits());
  }

  static int read_back() {
    int value = -1;
    EXPECT_EQ(cudaMemcpyFromSymbol(&value, symbol, sizeof value, 0, cudaMemcpyDeviceToHost),
              cudaSuccess);
    return value;
  }
  static void write(int value) {
    EXPECT_EQ(cudaMemcpyToSymbol(symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice),
              cudaSuccess);
  }

  RegisteredCode code_;
};

TEST_F(Symbols, WhatIsCopiedToAVariableIsThere) {
  write(7);
  EXPECT_EQ(read_back(), 7);
  EXPECT_TRUE(driver_.take_limits().empty());
}

TEST_F(Symbols, PartsAreCopied) {
  write(0);
  const unsigned char part = 1;
  ASSERT_EQ(cudaMemcpyToSymbol(symbol, &part, 1, 2, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(read_back(), 1 << 16);
}

TEST_F(Symbols, AVariableHasAnAddressAndASize) {
  void* address = nullptr;
  std::size_t bytes = 0;
  write(1);
  ASSERT_EQ(cudaGetSymbolAddress(&address, symbol), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&bytes, symbol), cudaSuccess);
  EXPECT_EQ(bytes, sizeof shadow);
  ASSERT_EQ(cudaMemset(address, 2, bytes), cudaSuccess);
  EXPECT_EQ(read_back(), 0x02020202);
  EXPECT_EQ(cudaFree(address), cudaErrorInvalidValue);
}

TEST_F(Symbols, EachDeviceHasItsOwn) {
  write(1);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  write(2);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(read_back(), 1);
}

TEST_F(Symbols, CopiesInAStreamAreOrderedThere) {
  const cudaStream_t stream = new_stream();
  const int value = 9;
  int found = 0;
  ASSERT_EQ(
      cudaMemcpyToSymbolAsync(symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice, stream),
      cudaSuccess);
  ASSERT_EQ(
      cudaMemcpyFromSymbolAsync(&found, symbol, sizeof found, 0, cudaMemcpyDeviceToHost, stream),
      cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(found, 9);
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(Symbols, CopiesInTwoStreamsRace) {
  write(1);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const int value = 9;
  for (int each = 0; each < 2; ++each)
    ASSERT_EQ(cudaMemcpyToSymbolAsync(symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice,
                                      new_stream()),
              cudaSuccess);
  EXPECT_EQ(driver_.take_races().size(), 1u);
}

TEST_F(Symbols, WhatAVariableHoldsAtFirstIsALimit) {
  EXPECT_EQ(read_back(), 0);
  EXPECT_EQ(driver_.take_limits(),
            std::vector<std::string>{
                "the initial value of the device variable variable is not modelled"});
  EXPECT_EQ(read_back(), 0);
  EXPECT_TRUE(driver_.take_limits().empty());
}

TEST_F(Symbols, AVariableIsNoLeak) {
  const driver::Living before = driver_.living();
  write(1);
  EXPECT_EQ(driver_.living().allocations, before.allocations);
}

TEST_F(Symbols, AVariableEndsWithItsCode) {
  static int other_shadow = 0;
  const void* const other = &other_shadow;
  void* address = nullptr;
  {
    RegisteredCode code;
    code.add_variable(&other_shadow, "other", sizeof other_shadow);
    ASSERT_EQ(cudaGetSymbolAddress(&address, other), cudaSuccess);
    EXPECT_NE(driver_.view(address), nullptr);
  }
  EXPECT_EQ(driver_.view(address), nullptr);
  EXPECT_EQ(cudaGetSymbolAddress(&address, other), cudaErrorInvalidSymbol);
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(Symbols, WhatNobodyRegisteredIsNoSymbol) {
  int value = 0;
  const void* const unknown = &value;
  void* address = &value;
  std::size_t bytes = 5;
  EXPECT_EQ(cudaMemcpyToSymbol(unknown, &value, 1, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, unknown, 1, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetSymbolAddress(&address, unknown), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetSymbolSize(&bytes, unknown), cudaErrorInvalidSymbol);
  EXPECT_EQ(address, &value);
  EXPECT_EQ(bytes, 5u);
}

TEST_F(Symbols, ACopyBeyondTheVariableIsRefused) {
  const int value = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, &value, sizeof value, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, &value, 1, SIZE_MAX, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
}

TEST_F(Symbols, OnlyTheDeviceIsOnTheSideOfTheVariable) {
  int value = 0;
  for (const auto kind : {cudaMemcpyHostToHost, cudaMemcpyDeviceToHost})
    EXPECT_EQ(cudaMemcpyToSymbol(symbol, &value, sizeof value, 0, kind),
              cudaErrorInvalidMemcpyDirection);
  for (const auto kind : {cudaMemcpyHostToHost, cudaMemcpyHostToDevice})
    EXPECT_EQ(cudaMemcpyFromSymbol(&value, symbol, sizeof value, 0, kind),
              cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, &value, sizeof value, 0, cudaMemcpyDefault), cudaSuccess);
}

}  // namespace
}  // namespace dlcert::shim
