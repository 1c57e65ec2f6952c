// SPDX-License-Identifier: Apache-2.0
//
// Runs the parser's corpus and the fixtures, whole and damaged, without libFuzzer.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../fuzz/program_fuzz.hpp"

namespace dlcert::driver {
namespace {

std::vector<std::string> texts_in(const char* folder) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream{entry.path(), std::ios::binary};
    texts.emplace_back(std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{});
  }
  return texts;
}

TEST(ProgramFuzz, HoldsForTheCorpus) {
  const std::vector<std::string> texts = texts_in(DLCERT_CORPORA "driver_program");
  for (const std::string& text : texts)
    parse_what_text_says(text);
  EXPECT_GE(texts.size(), 10u);
}

TEST(ProgramFuzz, HoldsForDamagedFixtures) {
  std::mt19937 random{1};
  const std::vector<std::string> texts = texts_in(DLCERT_PROGRAM_FIXTURES);
  EXPECT_GE(texts.size(), 5u);
  for (const std::string& text : texts)
    for (int i = 0; i < 200; ++i) {
      std::string damaged = text;
      for (int left = i % 4; left > 0; --left)
        damaged[random() % damaged.size()] = text[random() % text.size()];
      damaged.resize(random() % 2 == 0 ? random() % damaged.size() : damaged.size());
      parse_what_text_says(damaged);
    }
}

}  // namespace
}  // namespace dlcert::driver
