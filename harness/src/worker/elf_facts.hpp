// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// What a shared object says of itself.
struct ElfFacts {
  std::vector<std::string> sections;  // names
  std::vector<std::string> needed;    // DT_NEEDED, in order

  bool has_section(std::string_view name) const;
  bool needs(std::string_view prefix) const;  // a library whose name begins so
};

// Reads a 64-bit little-endian ELF file. Whatever lies outside it or makes no sense is left out.
ElfFacts read_elf_facts(std::span<const std::byte> file);

// The same of the file at `path`; nothing when it cannot be read.
ElfFacts read_elf_facts(const std::string& path);

}  // namespace dlcert
