// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace dlcert::shim {

/// One stand-in for a management library, opened by its path; its settings are those of the test.
class ManagementLibrary {
 public:
  explicit ManagementLibrary(const char* name)
      : handle_{dlopen((std::string{DLCERT_SHIM_FOLDER "/"} + name).c_str(), RTLD_NOW)} {
    if (handle_ == nullptr) {
      ADD_FAILURE() << dlerror();
    }
    unsetenv("DLCERT_MANAGEMENT");
    unsetenv("DLCERT_MANAGEMENT_FILE");
  }
  ManagementLibrary(const ManagementLibrary&) = delete;
  ManagementLibrary& operator=(const ManagementLibrary&) = delete;
  ~ManagementLibrary() {
    // Each test is a process; those that run in one do not share a count of initialisations.
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }

  [[nodiscard]] bool has(const char* symbol) const { return dlsym(handle_, symbol) != nullptr; }

  /// Calls `symbol`. The arguments must be of the types that its C declaration has.
  template <class Result = int, class... Arguments>
  Result call(const char* symbol, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(handle_, symbol));
    if (function == nullptr) {
      ADD_FAILURE() << "expected the symbol " << symbol << " but found none";
      return Result{};
    }
    return function(arguments...);
  }

 private:
  void* handle_;
};

inline void set_management(const char* settings) {
  setenv("DLCERT_MANAGEMENT", settings, 1);
}

/// A file of this process, removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(const char* name)
      : path_{std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))} {
    std::ofstream{path_}.flush();
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { std::filesystem::remove(path_); }

  [[nodiscard]] std::string path() const { return path_.string(); }
  void write(const char* text) const { std::ofstream{path_} << text; }
  [[nodiscard]] std::string read() const {
    std::ostringstream text;
    text << std::ifstream{path_}.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace dlcert::shim
