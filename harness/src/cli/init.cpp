// SPDX-License-Identifier: Apache-2.0
//
// `dlcert init`: a first adapter. That of a Python library is written by
// harness/python/dlcert/init, in the interpreter that has the library; that in C++ is the one of
// harness/docs/adapters.md.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/started_program.hpp"
#include "python/interpreter.hpp"
#include "python/locator.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view of_python = "python:";

bool is_module_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  bool begins = true;
  for (const char c : name) {
    if (c == '.' ? begins : !is_letter(c) && (begins || c < '0' || c > '9')) return false;
    begins = c == '.';
  }
  return !begins;
}

std::string with_python(const Options& options) {
  return options.python.empty() ? "" : fmt::format(" --python {}", options.python);
}

void print_next(const std::vector<std::string>& commands) {
  std::string_view before = "next";
  for (const std::string& command : commands) {
    fmt::print("{:<11}{}\n", before, command);
    before = "";
  }
}

int init_python(const Options& options, const std::string& module, const fs::path& output) {
  if (!is_module_name(module))
    throw CommandError{exit_usage,
                       fmt::format("init python:{}: expected the name of a module", module)};
  std::string name = module;
  std::ranges::replace(name, '.', '_');
  const fs::path file = output.empty() ? fs::path{name + "_adapter.py"} : output;
  const fs::path writer = PythonParts::of(program_file()).packages / "dlcert/init";
  if (!fs::exists(writer))
    throw CommandError{exit_usage, fmt::format("init: '{}' is missing", writer.string())};
  const InterpreterAnswer python = ask_python(find_python(options.python));
  const EndOfProgram end = run_to_its_end(
      python.program, {python.program, "-B", writer.string(), module, file.string()});
  if (end.signal != 0)
    throw CommandError{exit_usage,
                       fmt::format("init: the interpreter was ended by signal {}", end.signal)};
  if (end.exit_code != 0) return exit_usage;
  const bool is_bare = file.parent_path().empty();
  const std::string adapter = fmt::format("--adapter python:{}{}{}", is_bare ? "./" : "",
                                          file.string(), with_python(options));
  print_next({"dlcert smoke " + adapter, "dlcert certify " + adapter});
  return exit_certified;
}

int init_cpp(const fs::path& output) {
  const fs::path folder = output.empty() ? fs::path{"acme_adapter"} : output;
  const fs::path source = PythonParts::of(program_file()).packages / ".." / "init";
  if (fs::exists(folder))
    throw CommandError{exit_usage, fmt::format("init: '{}' exists", folder.string())};
  if (!fs::exists(source))
    throw CommandError{exit_usage, fmt::format("init: '{}' is missing", source.string())};
  std::error_code error;
  fs::create_directories(folder, error);
  for (const fs::path from : {"acme_adapter.cpp", "CMakeLists.txt", "library/acme.hpp"})
    if (!error) fs::copy_file(source / from, folder / from.filename(), error);
  if (error)
    throw CommandError{exit_usage, fmt::format("init: '{}': {}", folder.string(), error.message())};
  fmt::print(
      "wrote      {0}/acme_adapter.cpp, {0}/CMakeLists.txt, and {0}/acme.hpp, which stands for "
      "your library\n",
      folder.string());
  const std::string adapter = fmt::format("--adapter {}/build/libacme_adapter.so", folder.string());
  print_next({fmt::format("cmake -S {0} -B {0}/build && cmake --build {0}/build", folder.string()),
              "dlcert smoke " + adapter, "dlcert certify " + adapter});
  return exit_certified;
}

}  // namespace

int init(const Options& options, const std::string& what, const std::string& output) {
  if (what == "cpp") return init_cpp(output);
  if (what.starts_with(of_python))
    return init_python(options, what.substr(of_python.size()), output);
  throw CommandError{exit_usage, fmt::format("init {}: expected cpp or python:MODULE", what)};
}

}  // namespace dlcert
