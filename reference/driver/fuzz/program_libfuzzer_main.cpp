// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "program_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dlcert::driver::parse_what_text_says({reinterpret_cast<const char*>(data), size});
  return 0;
}
