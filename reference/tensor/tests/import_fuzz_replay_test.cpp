// SPDX-License-Identifier: Apache-2.0
//
// Runs the fuzzer's corpus, and inputs next to it, without libFuzzer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "../fuzz/import_fuzz.hpp"

namespace dlcert::reference {
namespace {

using Input = std::vector<std::uint8_t>;

std::vector<Input> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(DLCERT_CORPORA "tensor_import")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

TEST(ImportFuzz, HoldsForTheCorpus) {
  const std::vector<Input> inputs = corpus();
  ASSERT_GE(inputs.size(), 20U);
  for (const Input& input : inputs)
    import_what_bytes_say(input);
}

TEST(ImportFuzz, HoldsNextToTheCorpus) {
  std::mt19937 random(1);
  for (const Input& input : corpus()) {
    for (int i = 0; i < 200 && !input.empty(); ++i) {
      Input changed = input;
      changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
      import_what_bytes_say(changed);
    }
  }
}

}  // namespace
}  // namespace dlcert::reference
