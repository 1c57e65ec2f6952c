// SPDX-License-Identifier: Apache-2.0
//
// Reads every input that the fuzzers found worth keeping.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/parsers.hpp"
#include "report/atomic_file.hpp"

namespace dlcert::fuzz {
namespace {

void replay(const std::string& corpus, void (*read)(std::string_view)) {
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator{DLCERT_CORPUS_FOLDER + corpus}) {
    SCOPED_TRACE(entry.path().string());
    const std::string input = read_file(entry.path());
    read(input);
    for (const std::size_t part : {std::size_t{3}, std::size_t{2}})
      read(std::string_view{input}.substr(0, input.size() / part));
    ++inputs;
  }
  EXPECT_GT(inputs, 10u);
}

TEST(Corpus, OfWaiversIsReadOrRefused) {
  replay("/waivers", read_waivers);
}
TEST(Corpus, OfTheRegisterIsReadOrRefused) {
  replay("/register", read_register);
}
TEST(Corpus, OfResultsIsReadOrRefused) {
  replay("/results", read_results);
}

}  // namespace
}  // namespace dlcert::fuzz
