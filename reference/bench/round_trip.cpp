// SPDX-License-Identifier: Apache-2.0
//
// Times the round trips. With --repeat COUNT it only makes that many of each, for an instruction
// counter to watch.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "subjects.hpp"

namespace dlcert::bench {
namespace {

template <class Subject>
void time_round_trips(benchmark::State& state) {
  Subject subject;
  for (auto _ : state)
    subject.round_trip();
}

/// Found by name in what the instruction counter writes.
template <class Subject>
[[gnu::noinline]] void repeat(Subject& subject, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    subject.round_trip();
  }
}

}  // namespace
}  // namespace dlcert::bench

int main(int argc, char** argv) {
  using namespace dlcert::bench;  // NOLINT(google-build-using-namespace)
  if (argc == 3 && argv[1] == std::string_view("--repeat")) {
    const std::int64_t count = std::atoll(argv[2]);
    for_each_subject([count]<class Subject>(std::type_identity<Subject>) {
      Subject subject;
      repeat(subject, count);
    });
    return 0;
  }
  for_each_subject([]<class Subject>(std::type_identity<Subject>) {
    benchmark::RegisterBenchmark(Subject::name, &time_round_trips<Subject>);
  });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
