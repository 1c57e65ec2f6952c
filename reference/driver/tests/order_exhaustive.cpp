// SPDX-License-Identifier: Apache-2.0
//
// order_exhaustive [--length N] [--shard I/N] [--blocking-calls]
//
// Holds every program of up to N calls against the interpreter. Not a test of CTest: length 6 takes
// hours. Exit code 1 when there is a disagreement, 2 when it was asked for what it does not know.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>

#include "order_enumeration.hpp"

namespace {

using namespace dlcert::driver::order;

bool read_number(std::string_view text, int& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool read(int count, char** words, Enumeration& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i], value = i + 1 < count ? words[i + 1] : "";
    const std::size_t slash = value.find('/');
    if (word == "--blocking-calls")
      options.blocking_calls = true;
    else if (word == "--length" && read_number(value, options.length))
      ++i;
    else if (word == "--shard" && slash != value.npos &&
             read_number(value.substr(0, slash), options.shard) &&
             read_number(value.substr(slash + 1), options.shards) && options.shard >= 0 &&
             options.shard < options.shards)
      ++i;
    else
      return false;
  }
  return options.length > 0;
}

bool agree(CellKind kind, const Enumeration& options) {
  bool agreed = true;
  for (const Setting& family : families(kind)) {
    const auto began = std::chrono::steady_clock::now();
    Comparison comparison{family};
    enumerate(family, options, comparison);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf("%llu programs, %llu with a race, %zu disagreements, %.1f s\n",
                static_cast<unsigned long long>(comparison.programs()),
                static_cast<unsigned long long>(comparison.with_race()),
                comparison.disagreements().size(), took.count());
    for (const std::string& text : comparison.disagreements())
      std::printf("%s\n", text.c_str());
    agreed = agreed && comparison.disagreements().empty();
  }
  return agreed;
}

}  // namespace

int main(int count, char** words) {
  Enumeration options;
  if (!read(count, words, options)) {
    std::fputs("usage: order_exhaustive [--length N] [--shard I/N] [--blocking-calls]\n", stderr);
    return 2;
  }
  try {
    bool agreed = agree(CellKind::managed, options);
    if (options.blocking_calls) agreed = agree(CellKind::device, options) && agreed;
    return agreed ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "order_exhaustive: %s\n", error.what());
    return 2;
  }
}
