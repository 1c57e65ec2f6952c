// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "fuzz/choices_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dlcert::replay_choices_that_bytes_say({data, size});
  return 0;
}
