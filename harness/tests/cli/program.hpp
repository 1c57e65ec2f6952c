// SPDX-License-Identifier: Apache-2.0
//
// The real program, as a child of the test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct Output {
  int exit_code = -1;  // -1: it did not exit by itself
  std::string out, err;
};

Output run_program(const std::string& program, const std::vector<std::string>& arguments);
inline Output dlcert_program(const std::vector<std::string>& arguments) {
  return run_program(DLCERT_PROGRAM, arguments);
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A folder that lives as long as this.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const;  // gives the path
  bool empty() const { return std::filesystem::is_empty(folder_); }

 private:
  std::filesystem::path folder_;
};

}  // namespace dlcert
