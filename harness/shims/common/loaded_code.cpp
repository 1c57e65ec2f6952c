// SPDX-License-Identifier: Apache-2.0

#include "shims/common/loaded_code.hpp"

#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "shims/common/kernels.hpp"

namespace dlcert::shim {
namespace {

// Never destroyed, as programs may call until they have ended.
struct Loaded {
  std::mutex mutex;
  std::set<LoadedCode> codes;
  std::map<std::pair<LoadedCode, std::string>, std::unique_ptr<LoadedKernel>> kernels;
};

Loaded& loaded() {
  static Loaded& all = *new Loaded;
  return all;
}

LoadedCode add_code() {
  const LoadedCode code = add_module();
  const std::scoped_lock lock{loaded().mutex};
  loaded().codes.insert(code);
  return code;
}

}  // namespace

Status load_code(const void* code, LoadedCode& out) {
  if (code == nullptr) return Status::invalid_value;
  out = add_code();
  return Status::success;
}

Status load_code_file(const char* path, LoadedCode& out) {
  if (path == nullptr) return Status::invalid_value;
  if (!std::ifstream{path}) return file_not_found;
  out = add_code();
  return Status::success;
}

bool is_loaded(LoadedCode code) {
  const std::scoped_lock lock{loaded().mutex};
  return loaded().codes.contains(code);
}

bool unload_code(LoadedCode code) {
  const std::scoped_lock lock{loaded().mutex};
  if (loaded().codes.erase(code) == 0) return false;
  drop_module(code);
  std::erase_if(loaded().kernels, [&](const auto& each) { return each.first.first == code; });
  return true;
}

const LoadedKernel* find_loaded_kernel(LoadedCode code, const char* name) {
  const std::scoped_lock lock{loaded().mutex};
  if (!loaded().codes.contains(code)) return nullptr;
  auto& kernel = loaded().kernels[{code, name}];
  if (kernel == nullptr) {
    kernel = std::make_unique<LoadedKernel>(LoadedKernel{code, name});
    add_kernel(code, kernel.get(), kernel->name.c_str());
  }
  return kernel.get();
}

}  // namespace dlcert::shim
