// SPDX-License-Identifier: Apache-2.0
//
// Reads every input that the fuzzers found worth keeping.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "fuzz/targets.hpp"
#include "report/atomic_file.hpp"

namespace dlcert::fuzz {
namespace {

struct Target {
  const char* corpus;
  void (*read)(std::string_view);
};

constexpr Target targets[] = {
    {"waivers", read_waivers},
    {"toml_keys", read_toml_keys},
    {"register", read_register},
    {"results", read_results},
    {"text", read_text},
    {"versions", read_versions},
    {"options", read_options},
    {"output", read_output},
    {"elf_facts", read_elf_facts},
    {"program_file", read_program_file},
    {"race_records", read_race_records},
    {"job", read_job},
    {"record", read_record},
    {"inventory", read_inventory},
    {"findings", read_findings},
    {"trace", read_trace},
    {"case_message", read_case_message},
    {"shared_memory", read_shared_memory},
};

void PrintTo(const Target& target, std::ostream* out) {
  *out << target.corpus;
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefused) {
  std::size_t inputs = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{DLCERT_CORPORA} + GetParam().corpus}) {
    SCOPED_TRACE(entry.path().string());
    const std::string input = read_file(entry.path());
    GetParam().read(input);
    for (const std::size_t part : {std::size_t{3}, std::size_t{2}})
      GetParam().read(std::string_view{input}.substr(0, input.size() / part));
    ++inputs;
  }
  EXPECT_GE(inputs, 5u);
}

INSTANTIATE_TEST_SUITE_P(Of, Corpus, testing::ValuesIn(targets),
                         [](const auto& target) { return std::string{target.param.corpus}; });

TEST(Corpora, AreOfTargets) {
  std::istringstream files{DLCERT_PACKED_CORPORA};
  for (std::string file; std::getline(files, file, ',');)
    EXPECT_TRUE(std::ranges::any_of(targets, [&](const Target& target) {
      return file == std::string{target.corpus} + ".corpus";
    })) << file;
}

}  // namespace
}  // namespace dlcert::fuzz
