// SPDX-License-Identifier: Apache-2.0
//
// The bridge's adapters, loaded in the test's own process: each test has one to itself.
#pragma once

#include <dlcert/adapter.h>
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "python/locator.hpp"
#include "worker/library.hpp"

namespace dlcert {

// The adapter of a file beside these tests, in the interpreter that the build has found, which this
// process opens.
inline AdapterSource source_of(const std::string& file) {
  if (::dlopen(BRIDGE_LIBPYTHON, RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw std::runtime_error{::dlerror()};
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return locate_adapters({"python:" BRIDGE_TESTS "/" + file}, BRIDGE_PYTHON, program).sources.at(0);
}

// The table of tiny_adapter.py, with what is usually passed.
class Tiny {
 public:
  Tiny() : library_{source_of("tiny_adapter.py")}, table{library_.party().table()} {}

  // A tensor of `extent` bytes; NULL where it is refused, see `status` and `error`.
  dlcert_tensor* create(std::int64_t extent) {
    const std::vector<std::byte> bytes(static_cast<std::size_t>(extent));
    const std::int64_t stride = 1;
    dlcert_tensor_spec spec{};
    spec.struct_size = sizeof(spec);
    spec.ndim = 1;
    spec.dtype = {1, 8, 1};
    spec.device = {1, 0};
    spec.shape = &extent;
    spec.strides = &stride;
    spec.storage_size = extent;
    dlcert_tensor* made = nullptr;
    status = table.tensor->create(table.self, &spec, bytes.data(), bytes.size(), &made, &error);
    return made;
  }
  // Exports a tensor of `extent` bytes, which the adapter refuses; see `status` and `error`.
  void refuse_export(std::int64_t extent) {
    dlcert_tensor* const tensor = create(extent);
    dlcert_request request{};
    request.struct_size = sizeof(request);
    dlcert_capsule* capsule = nullptr;
    status = table.capsule->export_capsule(table.self, tensor, &request, &capsule, &error);
    release(tensor);
  }
  void release(dlcert_tensor* tensor) { table.tensor->release(table.self, tensor); }
  std::vector<std::string> take_warnings() { return library_.take_warnings(); }

 private:
  Library library_;

 public:
  const dlcert_adapter& table;
  dlcert_status status = DLCERT_OK;
  dlcert_error error{sizeof(dlcert_error), 0, 0, {}, {}, 0, 0, {}};
};

// What a function lists.
class Texts {
 public:
  const dlcert_text_list& list() const { return list_; }
  std::vector<std::string> texts;

 private:
  static void add(void* self, const char* text, std::uint64_t size) {
    static_cast<Texts*>(self)->texts.emplace_back(text, size);
  }
  dlcert_text_list list_{this, &add};
};

}  // namespace dlcert
