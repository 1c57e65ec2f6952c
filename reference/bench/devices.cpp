// SPDX-License-Identifier: Apache-2.0
//
// Reading the visible list, and counting devices by a management library that answers at once. Its
// own calls are measured alone too, since they are what the count must cost at least.

#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/nvml.hpp"

namespace {

using namespace dlcert::cuda;  // NOLINT(google-build-using-namespace)

constexpr const char* module = DLCERT_MANAGEMENT_MODULES "/management_good.so";

class NeverInitialized : public InitializationState {
 public:
  bool initialized() const override { return false; }
  void before_runtime_call() override {}
};

void parse(benchmark::State& state, const char* value) {
  const VisibleDeviceRules rules{dlcert::driver::Vendor::cuda};
  for (auto _ : state)
    benchmark::DoNotOptimize(rules.parse(value));
}
BENCHMARK_CAPTURE(parse, four_ordinals, "0,1,2,3");
BENCHMARK_CAPTURE(parse, one_uuid, "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6");

// 10 MB of distinct ordinals.
void parse_huge(benchmark::State& state) {
  const VisibleDeviceRules rules{dlcert::driver::Vendor::cuda};
  std::string value = "0";
  for (int i = 1; value.size() < 10'000'000; ++i)
    value += ',' + std::to_string(i);
  for (auto _ : state)
    benchmark::DoNotOptimize(rules.parse(value));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(value.size()));
}
BENCHMARK(parse_huge)->Unit(benchmark::kMillisecond);

void device_count(benchmark::State& state) {
  const Build build;
  const VisibleDeviceRules rules{build.vendor,
                                 [](const char*) { return std::optional<std::string>{"0,1,2,3"}; }};
  Nvml nvml{module};
  NeverInitialized initialization;
  Enumeration enumeration{build, rules, nvml, initialization, [](const std::string&) {}};
  if (enumeration.device_count() != 3) std::abort();
  for (auto _ : state)
    benchmark::DoNotOptimize(enumeration.device_count());
}
BENCHMARK(device_count);

void management_calls(benchmark::State& state) {
  void* const library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::abort();
  auto* const init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit"));
  auto* const count = reinterpret_cast<int (*)(unsigned*)>(dlsym(library, "nvmlDeviceGetCount_v2"));
  if (init == nullptr || count == nullptr) std::abort();
  for (auto _ : state) {
    unsigned devices = 0;
    benchmark::DoNotOptimize(init());
    benchmark::DoNotOptimize(count(&devices));
  }
}
BENCHMARK(management_calls);

}  // namespace

BENCHMARK_MAIN();
