// SPDX-License-Identifier: Apache-2.0
//
// What the drop-in runtimes cost a process: to be opened, to be told of the kernels of a large
// library, and to be asked for a launch.

#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "dlcert/driver/simulated.hpp"

namespace {

constexpr std::array runtimes{DLCERT_DROP_IN_RUNTIMES};
constexpr std::size_t kernels_of_torch = 24'133;

void* open(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::abort();
  return library;
}

void close(void* library, const char* path) {
  dlclose(library);
  if (dlopen(path, RTLD_NOW | RTLD_NOLOAD) != nullptr) std::abort();
}

void opening_all(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    std::array<void*, runtimes.size()> opened{};
    for (std::size_t i = 0; i < runtimes.size(); ++i)
      opened.at(i) = open(runtimes.at(i));
    state.PauseTiming();
    for (std::size_t i = 0; i < runtimes.size(); ++i)
      close(opened.at(i), runtimes.at(i));
    state.ResumeTiming();
  }
}
BENCHMARK(opening_all)->Unit(benchmark::kMillisecond);

struct Extent {
  unsigned int x = 1;
  unsigned int y = 1;
  unsigned int z = 1;
};

// The entry points of a libcudart that a program with kernels calls.
class Runtime {
 public:
  explicit Runtime(const char* path) : library_{open(path)} {}

  template <class Function>
  Function* entry(const char* name) {
    void* const found = dlsym(library_, name);
    if (found == nullptr) std::abort();
    return std::bit_cast<Function*>(found);
  }

 private:
  void* library_;
};

// As many as PyTorch has, with names of that kind. Their addresses are those of `stubs`.
class Kernels {
 public:
  Kernels() : stubs_(kernels_of_torch) {
    for (std::size_t i = 0; i < kernels_of_torch; ++i) {
      const std::string number = std::to_string(100'000 + i);
      names_.push_back(
          "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIfffN7f" + number +
          "EEESt5arrayIPcLm3EEEEviT0_T1_");
    }
  }

  void** add_to(Runtime& runtime) {
    auto* const add_module = runtime.entry<void**(void*)>("__cudaRegisterFatBinary");
    auto* const add = runtime.entry<void(void**, const char*, char*, const char*, int, void*, void*,
                                         Extent*, Extent*, int*)>("__cudaRegisterFunction");
    void** const module = add_module(nullptr);
    for (std::size_t i = 0; i < kernels_of_torch; ++i)
      add(module, &stubs_[i], names_[i].data(), names_[i].c_str(), -1, nullptr, nullptr, nullptr,
          nullptr, nullptr);
    return module;
  }

  [[nodiscard]] const void* stub(std::size_t index) const { return &stubs_[index % stubs_.size()]; }

 private:
  std::vector<char> stubs_;
  std::vector<std::string> names_;
};

void registering_kernels(benchmark::State& state) {
  Runtime runtime{runtimes.front()};
  auto* const drop = runtime.entry<void(void**)>("__cudaUnregisterFatBinary");
  Kernels kernels;
  for ([[maybe_unused]] auto _ : state) {
    void** const module = kernels.add_to(runtime);
    state.PauseTiming();
    drop(module);
    state.ResumeTiming();
  }
}
BENCHMARK(registering_kernels)->Unit(benchmark::kMillisecond);

void launching_kernels(benchmark::State& state) {
  dlcert::driver::simulated_driver().restart({.schedule = dlcert::driver::Schedule::eager});
  Runtime runtime{runtimes.front()};
  auto* const launch = runtime.entry<int(const void*, Extent, Extent, void**, std::size_t, void*)>(
      "cudaLaunchKernel");
  Kernels kernels;
  void** const module = kernels.add_to(runtime);
  std::size_t index = 0;
  for ([[maybe_unused]] auto _ : state)
    if (launch(kernels.stub(++index % 100), {}, {}, nullptr, 0, nullptr) != 0) std::abort();
  state.SetItemsProcessed(state.iterations());
  runtime.entry<void(void**)>("__cudaUnregisterFatBinary")(module);
}
BENCHMARK(launching_kernels);

}  // namespace

BENCHMARK_MAIN();
