// SPDX-License-Identifier: Apache-2.0
#include "python/locator.hpp"

#include <gtest/gtest.h>

#include "planted.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

class LocatorTest : public Planted {
 protected:
  LocatorTest() {
    python_ = interpreter(answer());
    write("lib/libdlcert_python_adapter.so", "");
    write("share/dlcert/python/dlcert/__init__.py", "");
    write("share/dlcert/adapters/numpy.py", "");
    write("share/dlcert/adapters/torch.py", "");
    write("share/dlcert/adapters/README.md", "");
  }

  LocatedAdapters locate(const std::vector<std::string>& locators) const {
    return locate_adapters(locators, python_, folder_ / "bin/dlcert");
  }
  std::string problem(const std::string& locator) const {
    return refusal([&] { locate({locator}); });
  }
  static nlohmann::json name_of(const LocatedAdapters& located) {
    return nlohmann::json::parse(located.sources.at(0).name);
  }

  std::string python_;
};

TEST_F(LocatorTest, ANameIsThatOfABundledAdapter) {
  const LocatedAdapters located = locate({"python:numpy"});
  ASSERT_EQ(located.sources.size(), 1u);
  EXPECT_EQ(located.sources[0].path, "python:numpy");
  EXPECT_EQ(located.sources[0].module, (folder_ / "lib/libdlcert_python_adapter.so").string());
  EXPECT_EQ(located.sources[0].interpreter, own_program());
  EXPECT_EQ(name_of(located),
            (nlohmann::json{{"interpreter", {{"program", own_program()}, {"version", "3.12.1"}}},
                            {"packages", (folder_ / "share/dlcert/python").string()},
                            {"shown", "python:numpy"},
                            {"file", (folder_ / "share/dlcert/adapters/numpy.py").string()}}));
}

TEST_F(LocatorTest, ABundledAdapterComesBeforeAFileOfItsName) {
  write("here/numpy", "");
  fs::current_path(folder_ / "here");
  EXPECT_EQ(name_of(locate({"python:numpy"}))["file"],
            (folder_ / "share/dlcert/adapters/numpy.py").string());
}

TEST_F(LocatorTest, AFileIsShownByItsAbsolutePath) {
  const std::string file = write("own/acme.py", "");
  fs::current_path(folder_ / "own");
  for (const char* const locator :
       {"python:./acme.py", "python:acme.py", "python:../own/acme.py"}) {
    const LocatedAdapters located = locate({locator});
    EXPECT_EQ(located.sources[0].path, "python:" + file) << locator;
    EXPECT_EQ(name_of(located)["file"], file);
    EXPECT_EQ(name_of(located)["shown"], "python:" + file);
    EXPECT_FALSE(name_of(located).contains("module"));
  }
}

TEST_F(LocatorTest, ANameWithDotsIsAModule) {
  const LocatedAdapters located = locate({"python:acme.testing.dlpack_2"});
  EXPECT_EQ(located.sources[0].path, "python:acme.testing.dlpack_2");
  EXPECT_EQ(name_of(located)["module"], "acme.testing.dlpack_2");
  EXPECT_FALSE(name_of(located).contains("file"));
}

TEST_F(LocatorTest, WhatIsNotThereIsRefusedByItsName) {
  const std::string folder = folder_.string();
  EXPECT_EQ(problem("python:nunpy"),
            "adapter 'python:nunpy': dlcert has no adapter of that name, did you mean "
            "'numpy'? (it has numpy, torch); name your own adapter as python:./FILE.py or "
            "python:PACKAGE.MODULE");
  EXPECT_EQ(problem("python:./gone.py"), "adapter 'python:./gone.py': no such file");
  EXPECT_EQ(problem("python:" + folder + "/lib/"),
            "adapter 'python:" + folder + "/lib/': not a file");
  for (const char* const name : {"", "a b", "3d", "a..b", ".a", "a.", "a-b"})
    EXPECT_EQ(problem(std::string{"python:"} + name),
              std::string{"adapter 'python:"} + name +
                  "': expected python:NAME, python:./FILE.py or python:PACKAGE.MODULE");
  EXPECT_EQ(problem("/no/such.so"), "adapter '/no/such.so': no such file");
  EXPECT_EQ(problem(folder), "adapter '" + folder + "': not a file");
}

TEST_F(LocatorTest, APathThatCannotBeWrittenAsJsonIsRefused) {
  EXPECT_TRUE(contains(problem("python:" + write("\xff.py", "")), "expected paths in UTF-8"));
}

TEST_F(LocatorTest, WithoutTheBridgeItIsNamed) {
  fs::remove(folder_ / "lib/libdlcert_python_adapter.so");
  EXPECT_EQ(problem("python:numpy"), "adapter 'python:numpy': no file '" + folder_.string() +
                                         "/lib/libdlcert_python_adapter.so', which dlcert needs "
                                         "for adapters in Python");
}

TEST_F(LocatorTest, AFolderThatThePreloadCannotNameIsRefused) {
  write("a b/lib/libdlcert_python_adapter.so", "");
  write("a b/share/dlcert/adapters/numpy.py", "");
  EXPECT_EQ(
      refusal([&] { locate_adapters({"python:numpy"}, python_, folder_ / "a b/bin/dlcert"); }),
      "adapter 'python:numpy': dlcert is in the folder '" + folder_.string() +
          "/a b/lib': expected a path without space and colon, since LD_PRELOAD has to name it");
}

TEST_F(LocatorTest, ModulesNeedNoInterpreter) {
  const std::string module = write("acme.so", "");
  const LocatedAdapters located = locate_adapters({module}, "", folder_ / "bin/dlcert");
  EXPECT_EQ(located.sources, std::vector<AdapterSource>{module});
  EXPECT_EQ(located.files, std::vector<fs::path>{module});
  EXPECT_FALSE(located.interpreter);
  EXPECT_EQ(problem(module),
            "--python " + python_ + ": expected an adapter 'python:...' but found none");
}

TEST_F(LocatorTest, OneInterpreterServesAllAndIsAskedOnce) {
  const std::string count = (folder_ / "count").string(), module = write("acme.so", "");
  program("bin/python",
          "echo asked >> " + count + "\n" + lines_that_print("dlcert-answer:" + answer().dump()));
  const LocatedAdapters located = locate({"python:torch", module, "python:numpy"});
  EXPECT_EQ(fs::file_size(count), 6u);
  ASSERT_EQ(located.sources.size(), 3u);
  EXPECT_EQ(located.sources[0].path, "python:torch");
  EXPECT_EQ(located.sources[1], AdapterSource{module});
  EXPECT_EQ(located.sources[2].path, "python:numpy");
}

TEST_F(LocatorTest, TheFilesAreAllThatDecideWhatAnAdapterDoes) {
  write("share/dlcert/python/dlcert/deep/more.py", "");
  const std::string file = write("own/acme.py", "");
  const fs::path streams = write("own/_acme_streams.py", "");
  write("own/other.py", "");
  const fs::path bridge = folder_ / "lib/libdlcert_python_adapter.so",
                 package = folder_ / "share/dlcert/python/dlcert";
  const std::vector<fs::path> common{bridge, package / "__init__.py", package / "deep/more.py"};
  std::vector<fs::path> with_file = common;
  with_file.emplace_back(file);
  with_file.push_back(streams);
  EXPECT_EQ(locate({"python:" + file}).files, with_file);
  EXPECT_EQ(locate({"python:acme.dlpack"}).files, common);
}

TEST_F(LocatorTest, AnInstallationIsSeenFromBothPrograms) {
  const fs::path prefix = folder_ / "prefix";
  write("prefix/libexec/dlcert/libdlcert_python_adapter.so", "");
  write("prefix/share/dlcert/python/dlcert/__init__.py", "");
  write("prefix/share/dlcert/adapters/numpy.py", "");
  write("prefix/share/dlcert/adapters/_numpy_more.py", "");
  for (const char* const program : {"bin/dlcert", "libexec/dlcert/dlcert-worker"}) {
    const PythonParts parts = PythonParts::of(prefix / program);
    EXPECT_EQ(parts.bridge, prefix / "libexec/dlcert/libdlcert_python_adapter.so") << program;
    EXPECT_EQ(parts.packages, prefix / "share/dlcert/python") << program;
    EXPECT_EQ(bundled_adapters(parts), std::vector<std::string>{"numpy"}) << program;
  }
}

TEST_F(LocatorTest, AWheelHoldsTheProgramsInItsPackage) {
  write("site-packages/dlcert/__init__.py", "");
  const fs::path programs = folder_ / "site-packages/dlcert/_dist";
  for (const char* const program : {"bin/dlcert", "libexec/dlcert/dlcert-worker"}) {
    write(fs::relative(programs / program, folder_), "");
    EXPECT_EQ(PythonParts::of(programs / program).packages, folder_ / "site-packages") << program;
  }
}

}  // namespace
}  // namespace dlcert
