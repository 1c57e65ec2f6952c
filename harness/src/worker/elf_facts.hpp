// SPDX-License-Identifier: Apache-2.0
//
// What a shared object says of itself, read without loading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct ElfFacts {
  std::vector<std::string> sections;  // names
  std::vector<std::string> needed;    // DT_NEEDED, in order
  std::vector<std::string> wanted;    // the names that others are to define

  bool has_section(std::string_view name) const;
  bool needs(std::string_view prefix) const;  // a library whose name begins so
};

// Reads a 64-bit little-endian ELF file. Leaves out what lies outside of the file or makes no
// sense.
ElfFacts read_elf_facts(std::span<const std::byte> file);

// Reads the file at `path`; no facts when it cannot be read.
ElfFacts read_elf_facts(const std::string& path);

}  // namespace dlcert
