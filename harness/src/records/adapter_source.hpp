// SPDX-License-Identifier: Apache-2.0
//
// Where an adapter comes from: a module of its own, or one that serves many libraries by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace dlcert {

struct AdapterSource {
  AdapterSource() = default;
  // A module that exports dlcert_adapter_get.
  AdapterSource(std::string file)  // NOLINT(google-explicit-constructor)
      : path{std::move(file)}, module{path} {}
  AdapterSource(const char* file)  // NOLINT(google-explicit-constructor)
      : AdapterSource{std::string{file}} {}
  // `file` serves `library`, which users and reports call `shown`, in the interpreter `python`.
  AdapterSource(std::string shown, std::string file, std::string library, std::string python)
      : path{std::move(shown)},
        module{std::move(file)},
        name{std::move(library)},
        interpreter{std::move(python)} {}

  bool named() const { return !name.empty(); }
  bool operator==(const AdapterSource&) const = default;

  std::string path;    // as --adapter has it: the absolute path of the module, or "python:numpy"
  std::string module;  // the file to load
  std::string name;    // for dlcert_adapter_named(); empty: dlcert_adapter_get() serves
  // The program that the process of the adapter has to run, absolute; empty: any.
  std::string interpreter;
};

// How --adapter, and reports, name an adapter in Python: "python:numpy".
inline constexpr std::string_view python_scheme = "python:";
inline bool is_in_python(std::string_view path) {
  return path.starts_with(python_scheme);
}

}  // namespace dlcert
