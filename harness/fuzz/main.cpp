// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer of the function that the build names.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dlcert::fuzz::DLCERT_FUZZED({reinterpret_cast<const char*>(data), size});
  return 0;
}
