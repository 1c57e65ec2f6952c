// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "fuzz/exports_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dlcert::testbench::read_export_that_bytes_say({data, size});
  return 0;
}
