// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "worker/elf_facts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Any bytes are a file; what lies outside it is left out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> file{data, size};
  static_cast<void>(dlcert::read_elf_facts(std::as_bytes(file)));
  return 0;
}
