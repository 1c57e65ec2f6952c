// SPDX-License-Identifier: Apache-2.0
//
// A folder with planted programs: interpreters that say of themselves what a test wants.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

namespace dlcert {

class Planted : public testing::Test {
 protected:
  Planted() {
    std::string folder = (std::filesystem::temp_directory_path() / "dlcert-test-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"cannot make " + folder};
    folder_ = folder;
    unsetenv("VIRTUAL_ENV");
  }
  ~Planted() override {
    std::filesystem::current_path(before_);
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
    return path.string();
  }

  // An executable file: lines of a shell.
  std::string program(const std::string& name, const std::string& lines) const {
    const std::string path = write(name, "#!/bin/sh\n" + lines);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  // The answer of a CPython. Its program is this test: a worker can be loaded into it.
  nlohmann::json answer() const {
    return {{"program", own_program()},
            {"implementation", "cpython"},
            {"version", "3.12.1"},
            {"major", 3},
            {"minor", 12},
            {"code", own_program()},
            {"free_threaded", false},
            {"packages", nlohmann::json::object()}};
  }

  static std::string own_program() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
  }

  static std::string lines_that_print(const std::string& text) {
    return "cat <<'END'\n" + text + "\nEND\n";
  }

  // A program with this answer.
  std::string interpreter(const nlohmann::json& answer) const {
    return program("bin/python", lines_that_print("dlcert-answer:" + answer.dump()));
  }

  std::filesystem::path folder_;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  std::string path_ = getenv("PATH");
};

template <typename Action>
std::string refusal(const Action& action) try {
  action();
  return "none";
} catch (const std::runtime_error& error) {
  return error.what();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace dlcert
