// SPDX-License-Identifier: Apache-2.0
//
// Reads every export and replays all choices that the fuzzers found worth keeping.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "fuzz/choices_fuzz.hpp"
#include "fuzz/exports_fuzz.hpp"

namespace dlcert {
namespace {

void replay(const std::string& corpus, void (*read)(std::span<const std::uint8_t>)) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator{DLCERT_CORPORA + corpus}) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file{entry.path(), std::ios::binary};
    read(std::vector<std::uint8_t>{std::istreambuf_iterator<char>{file}, {}});
    ++inputs;
  }
  EXPECT_GE(inputs, 5);
}

TEST(Fuzzed, ExportsAreReadOrRefused) {
  replay("exports", testbench::read_export_that_bytes_say);
}
TEST(Fuzzed, ChoicesDrawSpecsInTheirStorage) {
  replay("choices", replay_choices_that_bytes_say);
}

}  // namespace
}  // namespace dlcert
