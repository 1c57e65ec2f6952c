// SPDX-License-Identifier: Apache-2.0
//
// The adapter module of all Python libraries. Its name for a library is JSON:
//
//   {"interpreter": {"program": ..., "version": ...}, "packages": ..., "shown": "python:numpy",
//    "file": "/.../numpy.py"}   or "module": "package.module"
#include <dlcert/adapter.h>

#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "library_adapter.hpp"

namespace dlcert::python {

namespace {

// By their names, until the process ends: tables and deleters may be used behind close().
std::map<std::string, std::unique_ptr<LibraryAdapter>>& adapters() {
  static auto* const all = new std::map<std::string, std::unique_ptr<LibraryAdapter>>;
  return *all;
}

const dlcert_adapter* find(const std::string& name) {
  std::unique_ptr<LibraryAdapter>& adapter = adapters()[name];
  if (adapter == nullptr) {
    const auto asked = nlohmann::json::parse(name);
    const auto& interpreter = asked.at("interpreter");
    start({interpreter.at("program"), interpreter.at("version"), asked.at("packages")});
    adapter = std::make_unique<LibraryAdapter>(
        Place{asked.at("shown"), asked.value("file", ""), asked.value("module", "")});
  }
  return &adapter->table();
}

}  // namespace

}  // namespace dlcert::python

extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_named(std::uint32_t abi_major,
                                                                    const char* name,
                                                                    dlcert_error* error) {
  if (abi_major != DLCERT_ABI_MAJOR) {
    dlcert::adapter::detail::fill(*error, DLCERT_ERROR_VALUE, "", "another major version");
    return nullptr;
  }
  try {
    return dlcert::python::find(name);
  } catch (const std::exception& problem) {
    dlcert::adapter::detail::fill(*error, DLCERT_ERROR_OTHER, "", problem.what());
    return nullptr;
  }
}
