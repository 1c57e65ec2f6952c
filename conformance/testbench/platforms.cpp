// SPDX-License-Identifier: Apache-2.0
#include "testbench/platforms.hpp"

#include <deque>
#include <string>

namespace dlcert::testbench {

namespace {

// Sentences live as long as the process.
std::string_view on_platform(std::string_view sentence, std::string_view platform) {
  static std::deque<std::string> sentences;
  return sentences.emplace_back(fmt::format("{} on {}", sentence, platform));
}

}  // namespace

void add_for_cuda(Suite& suite, Check check) {
  check.platform = Platform::cuda;
  suite.add(check);
}

void add_for_rocm(Suite& suite, Check check) {
  check.platform = Platform::rocm;
  suite.add(check);
}

void add_for_both(Suite& suite, Check check) {
  const std::string_view sentence = check.sentence;
  check.sentence = on_platform(sentence, "CUDA");
  add_for_cuda(suite, check);
  check.sentence = on_platform(sentence, "ROCm");
  add_for_rocm(suite, check);
}

}  // namespace dlcert::testbench
