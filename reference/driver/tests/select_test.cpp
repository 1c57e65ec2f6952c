// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/select.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "vendor/vendor_drivers.hpp"

namespace dlcert::driver {
namespace {

/// What `action` throws as `Expected`, and nothing if it throws nothing.
template <class Expected, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Expected& thrown) {
    return thrown.what();
  }
  return {};
}

/// A new folder, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dlcert-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(SelectDriver, RefusesAnUnknownName) {
  EXPECT_EQ(message_of<std::invalid_argument>([] { select_driver("metal"); }),
            "expected driver simulated, cuda, cuda-driver or hip but found 'metal'");
  EXPECT_EQ(message_of<std::invalid_argument>([] { select_driver(""); }),
            "expected driver simulated, cuda, cuda-driver or hip but found ''");
}

TEST(SelectDriver, MayNameTheDriverInUse) {
  Driver& chosen = select_driver("simulated");
  EXPECT_EQ(&select_driver("simulated"), &chosen);
  EXPECT_EQ(&driver(), &chosen);
  EXPECT_EQ(chosen.name(), "simulated");
}

TEST(SelectDriver, RefusesAnotherThanTheDriverInUse) {
  select_driver("simulated");
  EXPECT_EQ(message_of<std::logic_error>([] { select_driver("cuda"); }),
            "expected driver 'simulated', which is in use, but found 'cuda'");
}

TEST(LoadDriver, SaysThatAModuleWasNotBuilt) {
  const Folder empty;
  const auto load = [&] { static_cast<void>(load_driver({"cuda", "CUDA Toolkit"}, empty.path())); };
  EXPECT_EQ(message_of<std::runtime_error>(load),
            "driver 'cuda' was not built here (CUDA Toolkit not found)");
}

TEST(LoadDriver, SaysWhyAModuleCannotBeLoaded) {
  const Folder folder;
  std::ofstream(folder.path() / "libdlcert_driver_hip.so") << "no library, but long enough for one";
  const auto load = [&] { static_cast<void>(load_driver({"hip", "ROCm HIP"}, folder.path())); };
  const std::string message = message_of<std::runtime_error>(load);
  EXPECT_TRUE(message.starts_with("driver 'hip': ")) << message;
  EXPECT_NE(message.find("libdlcert_driver_hip.so"), std::string::npos) << message;
}

}  // namespace
}  // namespace dlcert::driver
