// SPDX-License-Identifier: Apache-2.0
#include "worker/elf_facts.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace dlcert {
namespace {

std::vector<std::byte> bytes_of(const char* path) {
  std::ifstream file{path, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

TEST(ElfFacts, TellSectionsAndNeededLibraries) {
  const ElfFacts facts = read_elf_facts(std::string{REFERENCE});
  EXPECT_TRUE(facts.has_section(".dynamic"));
  EXPECT_FALSE(facts.has_section(".nvFatBinSegment"));
  EXPECT_TRUE(facts.needs("libdlcert_driver.so"));
  EXPECT_FALSE(facts.needs("libcudart.so"));
}

TEST(ElfFacts, TellTheNamesThatOthersAreToDefine) {
  const std::vector<std::string> wanted = read_elf_facts(std::string{NO_ADAPTER_RUNTIME}).wanted;
  EXPECT_EQ(std::ranges::count(wanted, "cudaOfLongAgo"), 1);
  EXPECT_EQ(std::ranges::count(wanted, "dlcert_adapter_get"), 0);
}

TEST(ElfFacts, OfNoElfFileAreEmpty) {
  EXPECT_TRUE(read_elf_facts(std::string{"/nonexistent"}).sections.empty());
  EXPECT_TRUE(read_elf_facts(std::string{"/dev/null"}).sections.empty());
  const std::vector<std::byte> zeros(1000);
  EXPECT_TRUE(read_elf_facts(std::span{zeros}).sections.empty());
}

// Whatever is missing is left out; a sanitizer sees what is read beyond the end.
TEST(ElfFacts, SurviveAFileThatWasCutShort) {
  const std::vector<std::byte> whole = bytes_of(C_EXAMPLE);
  const ElfFacts all = read_elf_facts(std::span{whole});
  ASSERT_FALSE(all.sections.empty());
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 16) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<long>(size));
    EXPECT_LE(read_elf_facts(std::span{cut}).sections.size(), all.sections.size());
  }
}

TEST(ElfFacts, SurviveNumbersThatLeadNowhere) {
  const std::vector<std::byte> whole = bytes_of(C_EXAMPLE);
  for (std::size_t at = 0; at < sizeof(Elf64_Ehdr); ++at) {
    std::vector<std::byte> changed = whole;
    changed[at] = std::byte{0xff};
    static_cast<void>(read_elf_facts(std::span{changed}));
  }
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof(header));
  for (std::size_t at = header.e_shoff; at < whole.size(); ++at) {
    std::vector<std::byte> changed = whole;
    changed[at] = std::byte{0xff};
    static_cast<void>(read_elf_facts(std::span{changed}));
  }
}

}  // namespace
}  // namespace dlcert
