// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "report/atomic_file.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  void write_to(int descriptor, const std::string& path) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), O_WRONLY | O_CREAT, 0600);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Output run_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);

  const TemporaryFolder folder;
  FileActions actions;
  actions.write_to(STDOUT_FILENO, folder.path("out"));
  actions.write_to(STDERR_FILENO, folder.path("err"));
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), actions.get(), nullptr, argv.data(), environ) != 0)
    throw std::runtime_error{"cannot start " + program};
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.path("out")),
          read_file(folder.path("err"))};
}

TemporaryFolder::TemporaryFolder() {
  std::string folder = (fs::temp_directory_path() / "dlcert-test-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"cannot make " + folder};
  folder_ = folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  write_file(folder_ / name, text);
  return path(name);
}

}  // namespace dlcert
