// SPDX-License-Identifier: Apache-2.0
#include "report/atomic_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace dlcert {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() : folder_{fs::temp_directory_path() / ("dlcert-" + std::to_string(getpid()))} {
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}));
  }

  fs::path folder_;
};

TEST_F(AtomicFile, IsReadAsItWasWritten) {
  const std::string text("a\0b\n", 4);
  write_file(folder_ / "f", text);
  write_file(folder_ / "f", text);
  EXPECT_EQ(read_file(folder_ / "f"), text);
  EXPECT_EQ(files(), 1u) << "nothing is left beside it";
}

TEST_F(AtomicFile, ThatCannotBeWrittenSaysWhy) {
  const auto error = [](const fs::path& path) -> std::string {
    try {
      require_writable(path);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(folder_ / "no" / "f"),
            "cannot write '" + (folder_ / "no/f").string() + "': No such file or directory");
  EXPECT_EQ(error(folder_), "cannot write '" + folder_.string() + "': it is not a regular file");
  EXPECT_EQ(error("/dev/null"), "cannot write '/dev/null': it is not a regular file");
}

TEST_F(AtomicFile, IsLeftAloneByTheQuestionWhetherItCouldBeWritten) {
  write_file(folder_ / "f", "old");
  require_writable(folder_ / "f");
  require_writable(folder_ / "g");
  EXPECT_EQ(read_file(folder_ / "f"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, ThatIsMissingCannotBeRead) {
  EXPECT_THROW(read_file(folder_ / "f"), std::runtime_error);
}

}  // namespace
}  // namespace dlcert
