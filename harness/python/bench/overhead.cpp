// SPDX-License-Identifier: Apache-2.0
//
// What the bridge adds to a call: each call of a library once as dlcert makes it, through the
// adapter ABI, and once as a plain C program makes it on the same interpreter. The difference is
// the bridge's.
//
//   dlcert_bench_bridge [flags of Google Benchmark]
#include <benchmark/benchmark.h>
#include <dlcert/adapter.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "../bridge/object.hpp"
#include "python/locator.hpp"

namespace dlcert::python {

namespace {

constexpr std::int64_t extents[] = {4, 4}, strides[] = {4, 1};
constexpr std::array<float, 16> values{1, 2, 3};

// The library through its table.
struct Bridged {
  const dlcert_adapter* table = nullptr;
  dlcert_error error{sizeof(dlcert_error), 0, 0, {}, {}, 0, 0, {}};
  dlcert_tensor_spec spec{
      sizeof(dlcert_tensor_spec), 0, 0, 2, {2, 32, 1}, {1, 0}, 0, extents, strides, 0, 16};
  dlcert_request request{};

  dlcert_tensor* create() {
    dlcert_tensor* made = nullptr;
    table->tensor->create(table->self, &spec, values.data(), sizeof(values), &made, &error);
    return made;
  }
  void release(dlcert_tensor* tensor) { table->tensor->release(table->self, tensor); }
  dlcert_capsule* export_capsule(dlcert_tensor* tensor) {
    dlcert_capsule* made = nullptr;
    table->capsule->export_capsule(table->self, tensor, &request, &made, &error);
    return made;
  }
  void drop(dlcert_capsule* capsule) { table->capsule->drop(table->self, capsule); }
  dlcert_tensor* import_from(const dlcert_producer& producer) {
    dlcert_import_request asked{};
    asked.struct_size = sizeof(asked);
    dlcert_tensor* made = nullptr;
    table->exchange->import_from(table->self, &producer, &asked, &made, &error);
    return made;
  }
};

// The library as a C program calls it.
struct Plain {
  Ref array, dlpack, keywords, from_dlpack, tobytes;
};

Bridged bridged;
Plain plain;

// An object that hands out another array's capsules, for both ways.
struct Source {
  dlcert_tensor* tensor = nullptr;
  dlcert_producer producer{sizeof(dlcert_producer), 0, this, &device, &dlpack};
  static dlcert_status device(void*, dlcert_device* out, dlcert_error*) {
    *out = {1, 0};
    return DLCERT_OK;
  }
  static dlcert_status dlpack(void* self, const dlcert_request*, dlcert_exported* out,
                              dlcert_error*) {
    out->capsule = bridged.export_capsule(static_cast<Source*>(self)->tensor);
    return DLCERT_OK;
  }
};

void export_bridged(benchmark::State& state) {
  dlcert_tensor* const tensor = bridged.create();
  for (auto _ : state)
    bridged.drop(bridged.export_capsule(tensor));
  bridged.release(tensor);
}

void export_plain(benchmark::State& state) {
  const Lock lock;
  for (auto _ : state)
    call(plain.dlpack.get(), tuple(), plain.keywords.get());
}

// Three calls of the ABI: import_from, the export in it, release; the plain program's is the
// import of the array itself, which exports it.
void import_bridged(benchmark::State& state) {
  Source source{bridged.create()};
  for (auto _ : state)
    bridged.release(bridged.import_from(source.producer));
  bridged.release(source.tensor);
}

void import_plain(benchmark::State& state) {
  const Lock lock;
  for (auto _ : state)
    call(plain.from_dlpack.get(), tuple(plain.array.copy()));
}

void read_bridged(benchmark::State& state) {
  dlcert_tensor* const tensor = bridged.create();
  std::array<float, 16> bytes{};
  for (auto _ : state)
    bridged.table->tensor->read(bridged.table->self, tensor, bytes.data(), sizeof(bytes),
                                &bridged.error);
  bridged.release(tensor);
}

void read_plain(benchmark::State& state) {
  const Lock lock;
  std::array<float, 16> bytes{};
  for (auto _ : state) {
    const Ref given = call(plain.tobytes.get());
    char* data = nullptr;
    std::ptrdiff_t size = 0;
    py.PyBytes_AsStringAndSize(given.get(), &data, &size);
    std::memcpy(bytes.data(), data, sizeof(bytes));
  }
}

BENCHMARK(export_bridged);
BENCHMARK(export_plain);
BENCHMARK(import_bridged);
BENCHMARK(import_plain);
BENCHMARK(read_bridged);
BENCHMARK(read_plain);

// This process opens the interpreter's shared library.
void load(const AdapterSource& source) {
  if (::dlopen(LIBPYTHON, RTLD_NOW | RTLD_GLOBAL) == nullptr) throw std::runtime_error{::dlerror()};
  void* const module = ::dlopen(source.module.c_str(), RTLD_NOW);
  const auto named = reinterpret_cast<dlcert_adapter_named_function>(
      module == nullptr ? nullptr : ::dlsym(module, "dlcert_adapter_named"));
  if (named != nullptr)
    bridged.table = named(DLCERT_ABI_MAJOR, source.name.c_str(), &bridged.error);
  if (bridged.table == nullptr) throw std::runtime_error{bridged.error.message};
  bridged.request.struct_size = sizeof(dlcert_request);
  bridged.request.max_version = {DLCERT_PAIR, 0, 1, 3, 0, nullptr};
  load_api(::dlopen(nullptr, RTLD_NOW));
}

void prepare_plain() {
  const Lock lock;
  const Ref numpy = made(py.PyImport_ImportModule("numpy"));
  const Ref shape = tuple(number(4), number(4));
  plain.array = call(attribute(numpy.get(), "zeros").get(), tuple(shape.copy()));
  plain.dlpack = attribute(plain.array.get(), "__dlpack__");
  plain.tobytes = attribute(plain.array.get(), "tobytes");
  plain.from_dlpack = attribute(numpy.get(), "from_dlpack");
  plain.keywords = made(py.PyDict_New());
  const Ref version = tuple(number(1), number(3));
  py.PyDict_SetItemString(plain.keywords.get(), "max_version", version.get());
}

}  // namespace

}  // namespace dlcert::python

int main(int argc, char** argv) {
  using namespace dlcert;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  try {
    const LocatedAdapters found = locate_adapters({"python:numpy"}, PYTHON, program);
    python::load(found.sources.at(0));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
  python::prepare_plain();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::fflush(nullptr);
  ::_exit(0);
}
