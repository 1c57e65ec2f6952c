// SPDX-License-Identifier: Apache-2.0
//
// order_exhaustive [--length N] [--more-calls] [--shard I/N] [--sampled PROGRAMS] [--seed FIRST]
//
// Holds every program of up to N calls against the interpreter; with --sampled, that many larger
// ones of each family instead. Not a test of CTest: length 6 takes an hour of a processor. Exit
// code 1 when there is a disagreement, 2 when it was asked for what it does not know.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>

#include "order_enumeration.hpp"
#include "order_sampling.hpp"

namespace {

using namespace dlcert::driver::order;

bool read_number(std::string_view text, int& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

struct Options {
  Enumeration enumeration;
  int sampled = 0;
  int seed = 1;
};

bool read_shard(std::string_view text, Enumeration& out) {
  const std::size_t slash = text.find('/');
  return slash != text.npos && read_number(text.substr(0, slash), out.shard) &&
         read_number(text.substr(slash + 1), out.shards) && out.shard >= 0 &&
         out.shard < out.shards;
}

bool read(int count, char** words, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i], value = i + 1 < count ? words[i + 1] : "";
    if (word == "--more-calls") {
      options.enumeration.more_calls = true;
      continue;
    }
    const bool known = (word == "--length" && read_number(value, options.enumeration.length)) ||
                       (word == "--shard" && read_shard(value, options.enumeration)) ||
                       (word == "--sampled" && read_number(value, options.sampled)) ||
                       (word == "--seed" && read_number(value, options.seed));
    if (!known) return false;
    ++i;
  }
  return options.enumeration.length > 0 && options.sampled >= 0 && options.seed >= 0;
}

// Runs one family, and tells whether there was no disagreement.
template <class Run>
bool agree(std::string_view name, const Setting& family, std::uint64_t seeded, Run run) {
  const auto began = std::chrono::steady_clock::now();
  Comparison comparison{family, seeded};
  run(comparison);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%.*s: %llu programs, %llu with a race, %zu disagreements, %.1f s\n",
              static_cast<int>(name.size()), name.data(),
              static_cast<unsigned long long>(comparison.programs()),
              static_cast<unsigned long long>(comparison.with_race()),
              comparison.disagreements().size(), took.count());
  for (const std::string& text : comparison.disagreements())
    std::printf("%s\n", text.c_str());
  return comparison.disagreements().empty();
}

bool enumerate_all(CellKind kind, const Enumeration& options) {
  bool agreed = true;
  for (const Setting& family : families(kind))
    agreed = agree("two streams", family, 8,
                   [&](Comparison& comparison) { enumerate(family, options, comparison); }) &&
             agreed;
  return agreed;
}

bool sample_all(const Options& options) {
  bool agreed = true;
  for (const SampledFamily& family : sampled_families())
    agreed = agree(family.name, family.setting, 1,
                   [&](Comparison& comparison) {
                     sample(family.setting, static_cast<std::uint64_t>(options.seed),
                            static_cast<std::uint64_t>(options.sampled), comparison);
                   }) &&
             agreed;
  return agreed;
}

bool agree(const Options& options) {
  if (options.sampled > 0) return sample_all(options);
  bool agreed = enumerate_all(CellKind::managed, options.enumeration);
  if (!options.enumeration.more_calls) return agreed;
  for (const CellKind kind : {CellKind::pinned, CellKind::device})
    agreed = enumerate_all(kind, options.enumeration) && agreed;
  return agreed;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  if (!read(count, words, options)) {
    std::fputs(
        "usage: order_exhaustive [--length N] [--more-calls] [--shard I/N]\n"
        "       order_exhaustive --sampled PROGRAMS [--seed FIRST]\n",
        stderr);
    return 2;
  }
  try {
    return agree(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "order_exhaustive: %s\n", error.what());
    return 2;
  }
}
