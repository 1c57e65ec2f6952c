// SPDX-License-Identifier: Apache-2.0
//
// Runs the fuzzers' corpora, and random inputs, without libFuzzer.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../fuzz/enumeration_fuzz.hpp"
#include "../fuzz/visible_devices_fuzz.hpp"

namespace dlcert::cuda {
namespace {

using Input = std::vector<std::uint8_t>;

std::vector<Input> inputs_in(const char* corpus) {
  std::vector<Input> inputs;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string{DLCERT_CORPORA} + corpus)) {
    std::ifstream stream{entry.path(), std::ios::binary};
    inputs.emplace_back(std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{});
  }
  return inputs;
}

TEST(VisibleDevicesFuzz, HoldsForTheCorpus) {
  const std::vector<Input> inputs = inputs_in("cuda_visible_devices");
  for (const Input& input : inputs)
    read_what_bytes_say(input);
  EXPECT_GE(inputs.size(), 20u);
}

TEST(VisibleDevicesFuzz, HoldsForRandomLists) {
  constexpr std::string_view characters = "0123456789,,,,+- \tGPU-MIG-abx\x1c\n\xc2";
  std::mt19937 random{1};
  for (int i = 0; i < 1000; ++i) {
    std::string text{"\x04"};
    if (random() % 4 == 0) text += "GPU-";
    for (auto left = random() % 20; left > 0; --left)
      text += characters[random() % characters.size()];
    read_what_bytes_say(Input{text.begin(), text.end()});
  }
}

TEST(EnumerationFuzz, HoldsForTheCorpus) {
  const std::vector<Input> inputs = inputs_in("cuda_enumeration");
  for (const Input& input : inputs)
    enumerate_what_bytes_say(input);
  EXPECT_GE(inputs.size(), 20u);
}

TEST(EnumerationFuzz, HoldsForRandomAnswers) {
  std::mt19937 random{1};
  for (int i = 0; i < 1000; ++i) {
    Input input(random() % 200);
    for (std::uint8_t& byte : input)
      byte = static_cast<std::uint8_t>(random());
    enumerate_what_bytes_say(input);
  }
}

}  // namespace
}  // namespace dlcert::cuda
