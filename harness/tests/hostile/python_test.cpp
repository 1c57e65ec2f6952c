// SPDX-License-Identifier: Apache-2.0
//
// Each attack of an adapter or a library in Python gets the verdict that it deserves, nothing stays
// behind, and nothing is written beside a file.
#include <algorithm>
#include <fstream>
#include <set>

#include "deserved.hpp"
#include "python/locator.hpp"

namespace dlcert::hostile {
namespace {

namespace fs = std::filesystem;

RunOptions python_options(const fs::path& adapter) {
  RunOptions options = test_options();
  options.worker = HOSTILE_PYTHON_WORKER;
  options.adapters =
      locate_adapters({"python:" + adapter.string()}, HOSTILE_PYTHON, DLCERT_PROGRAM).sources;
  options.cases = 30;
  return options;
}

class PythonAttacks : public Deserved, public testing::WithParamInterface<Attack> {};

TEST_P(PythonAttacks, GetTheVerdictThatTheyDeserve) {
  // Once for all: each question starts an interpreter.
  static const RunOptions options = python_options(HOSTILE_PYTHON_FOLDER "/adapter.py");
  expect_deserved_verdict(GetParam(), options);
}

INSTANTIATE_TEST_SUITE_P(Hostile, PythonAttacks,
                         testing::ValuesIn(python_attacks().begin(), python_attacks().end()));

// A file that is wrong before any of its methods is called.
struct FileRow {
  const char* file;
  const char* text;
  const char* told;  // empty: it is certified
};
void PrintTo(const FileRow& row, std::ostream* out) {
  *out << (*row.told == '\0' ? "certified" : row.told);
}

constexpr auto good = R"(
import json, dlcert

class Good(dlcert.Adapter):
    library = json
    name = "good"
    def can(self, spec): return spec.plain and not spec.read_only and len(spec.shape) == 1
    def create(self, spec, data): return (spec, data)
    def describe(self, tensor): return dlcert.Description(tensor[0].dtype, tensor[0].shape)
    def read(self, tensor): return tensor[1]
    def export_capsule(self, tensor, **arguments): raise dlcert.NotFormable
    def import_from(self, source, **arguments): raise dlcert.NotFormable
)";

class PythonFiles : public Deserved {
 protected:
  fs::path write(const std::string& name, std::string_view text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream{folder_ / name} << text;
    return folder_ / name;
  }
  static std::string error_of(const fs::path& file) {
    const RunOptions options = python_options(file);
    const Inventory inventory = take_inventory(options);
    return inventory.adapters.at(0).error;
  }
  static std::set<fs::path> entries(const fs::path& folder) {
    return {fs::recursive_directory_iterator{folder}, fs::recursive_directory_iterator{}};
  }
};

class WrongFiles : public PythonFiles, public testing::WithParamInterface<FileRow> {};

TEST_P(WrongFiles, AreToldInOneLine) {
  const std::string error = error_of(write(GetParam().file, GetParam().text));
  EXPECT_NE(error.find(GetParam().told), error.npos) << error;
  EXPECT_EQ(error.empty(), *GetParam().told == '\0') << error;
  EXPECT_EQ(std::ranges::count(error, '\n'), 0) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Hostile, WrongFiles,
    testing::Values(
        FileRow{"good.py", good, ""}, FileRow{"json.py", good, ""}, FileRow{"dlcert.py", good, ""},
        FileRow{"with space and \xc3\xa9.py", good, ""},
        FileRow{"empty.py", "", "expected one subclass of dlcert.Adapter but found none"},
        FileRow{"base.py", "from dlcert import Adapter\n",
                "expected one subclass of dlcert.Adapter but found none"},
        FileRow{"two.py", "import dlcert\nclass A(dlcert.Adapter): pass\nclass B(A): pass\n",
                "expected one subclass of dlcert.Adapter but found A, B"},
        FileRow{"syntax.py", "class A(:\n", "SyntaxError: invalid syntax"},
        FileRow{"indent.py", "  class A: pass\n", "IndentationError"},
        FileRow{"bytes.py", "\xff\xfe\xff", "SyntaxError"},
        FileRow{"null.py", std::string_view{"a = '\0'"}.data(), "SyntaxError"},
        FileRow{"missing.py", "import dlcert_nowhere\n",
                "ModuleNotFoundError: No module named 'dlcert_nowhere'"},
        FileRow{"typo.py", "import dlcert\nclass A(dlcert.Adaptor): pass\n",
                "AttributeError: module 'dlcert' has no attribute 'Adaptor'"},
        FileRow{"body.py", "import dlcert, sys\nclass A(dlcert.Adapter):\n    sys.exit(0)\n",
                "SystemExit: 0"},
        FileRow{"init.py",
                "import dlcert, sys\nclass A(dlcert.Adapter):\n"
                "    def __init__(self): sys.exit(0)\n",
                "SystemExit: 0"},
        FileRow{"library.py", "import dlcert\nclass A(dlcert.Adapter): pass\n",
                "'A' object has no attribute 'library'"},
        FileRow{"version.py",
                "import dlcert, types\nclass A(dlcert.Adapter): library = types.ModuleType('m')\n",
                "AttributeError: module 'm' has no attribute '__version__'"},
        FileRow{"meta.py",
                "import dlcert\nclass M(type):\n"
                "    def __subclasscheck__(c, o): raise ValueError('meta')\n"
                "class A(dlcert.Adapter, metaclass=M): library = dlcert\n",
                "'__version__'"},
        FileRow{
            "lying.py",
            "class L:\n    @property\n    def __class__(s): raise ValueError('lies')\nl = L()\n",
            "expected one subclass of dlcert.Adapter but found none"}));

TEST_F(PythonFiles, AFileInTheWorkingDirectoryShadowsNoLibrary) {
  const fs::path adapter = write("adapters/good.py", good);
  write("json.py", "raise SystemExit('shadowed')\n");
  write("dlcert.py", "raise SystemExit('shadowed')\n");
  write("_dlcert.py", "raise SystemExit('shadowed')\n");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_EQ(error_of(adapter), "");
  fs::current_path(before);
}

TEST_F(PythonFiles, NothingIsWrittenBesideThem) {
  const fs::path adapter = write("good.py", std::string{"import beside\n"} + good);
  write("beside.py", "");
  fs::copy(HOSTILE_PYTHON_FOLDER, folder_ / "hostile");
  setenv("PYTHONPATH", folder_.c_str(), 1);
  unsetenv("PYTHONDONTWRITEBYTECODE");
  const std::vector<fs::path> folders{folder_, HOSTILE_PYTHON_FOLDER, DLCERT_PYTHON_PACKAGES,
                                      DLCERT_PYTHON_ADAPTERS};
  std::vector<std::set<fs::path>> before, after;
  for (const fs::path& folder : folders)
    before.push_back(entries(folder));
  EXPECT_EQ(error_of(adapter), "");
  behave_as("plain");
  const RunOptions options = python_options(folder_ / "hostile" / "adapter.py");
  expect_all_untouched_but(certify(options, {}), "");
  unsetenv("PYTHONPATH");
  for (const fs::path& folder : folders)
    after.push_back(entries(folder));
  EXPECT_EQ(before, after);
}

TEST_F(PythonFiles, AFaultInACaseShowsItsTraceback) {
  const std::string text = std::string{good} +
                           "    def create(self, spec, data):\n"
                           "        return undefined_name\n";
  const RunOptions options = python_options(write("typo.py", text));
  const Results results = certify(options, {});
  ASSERT_TRUE(results.adapter_fault.has_value());
  EXPECT_NE(results.adapter_fault->what.find(
                "a fault of the adapter: create(): NameError: name 'undefined_name' is not "
                "defined ("),
            std::string::npos)
      << results.adapter_fault->what;
  EXPECT_NE(results.adapter_fault->output.find("Traceback (most recent call last):"),
            std::string::npos)
      << results.adapter_fault->output;
  EXPECT_NE(results.adapter_fault->output.find("return undefined_name"), std::string::npos)
      << results.adapter_fault->output;
}

}  // namespace
}  // namespace dlcert::hostile
