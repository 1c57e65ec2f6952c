// SPDX-License-Identifier: Apache-2.0
//
// Runs the fuzzer's corpus, and random programs, without libFuzzer.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "../fuzz/simulated_fuzz.hpp"

namespace dlcert::driver {
namespace {

using Input = std::vector<std::uint8_t>;

TEST(SimulatedFuzz, HoldsForTheCorpus) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DLCERT_CORPORA "simulated_driver")) {
    std::ifstream stream{entry.path(), std::ios::binary};
    const Input input{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    call_what_bytes_say(input);
    ++inputs;
  }
  EXPECT_GE(inputs, 20);
}

TEST(SimulatedFuzz, HoldsForRandomPrograms) {
  std::mt19937 random{1};
  for (int i = 0; i < 500; ++i) {
    Input input(random() % 500);
    std::ranges::generate(input, [&] { return static_cast<std::uint8_t>(random()); });
    call_what_bytes_say(input);
  }
}

}  // namespace
}  // namespace dlcert::driver
