// SPDX-License-Identifier: Apache-2.0
#include "python/interpreter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "python/program.hpp"
#include "register/text.hpp"
#include "restart/redirectable.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<int, int> oldest{3, 10}, newest{3, 14};

// Before the answer, which stands in whatever else start-up files print.
constexpr std::string_view mark = "dlcert-answer:";

// Python 2 understands it. Nothing is imported from the working directory.
constexpr const char* question = R"(import sys
sys.path[:] = [place for place in sys.path if place not in ("", ".")]
import json, os, sysconfig
variable = sysconfig.get_config_var
name = variable("INSTSONAME") or ""
implementation = getattr(sys, "implementation", None)
answer = {
    "program": sys.executable or "",
    "implementation": implementation.name if implementation else "cpython",
    "version": sys.version.split()[0].rstrip("+"),
    "major": sys.version_info[0],
    "minor": sys.version_info[1],
    "code": os.path.realpath(sys.executable or ""),
    "free_threaded": bool(variable("Py_GIL_DISABLED")),
    "packages": {},
}
try:
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line[line.find("/"):].rstrip("\n")
            if ".so" in name and path.endswith("/" + name):
                answer["code"] = path
except (IOError, ValueError):
    pass
for package in sys.argv[1:]:
    try:
        from importlib import metadata, util
        if util.find_spec(package) is not None:
            answer["packages"][package] = ""
            answer["packages"][package] = metadata.version(package)
    except ImportError:
        pass
sys.stdout.write("dlcert-" + "answer:" + json.dumps(answer) + "\n")
)";

std::runtime_error python_problem(const std::string& program, const std::string& what) {
  return std::runtime_error{one_line(fmt::format("python '{}': {}", program, what))};
}

std::string first_line(std::string_view text) {
  constexpr std::size_t shown = 80;
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  return one_line(text.substr(0, text.find('\n')), shown);
}

InterpreterAnswer parse(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  InterpreterAnswer answer;
  const auto take = [&json](const char* name, auto& value) { json.at(name).get_to(value); };
  take("program", answer.program);
  take("implementation", answer.implementation);
  take("version", answer.version);
  take("major", answer.major);
  take("minor", answer.minor);
  take("code", answer.code);
  take("free_threaded", answer.free_threaded);
  take("packages", answer.packages);
  return answer;
}

bool is_script(const std::string& program) {
  std::ifstream file{program, std::ios::binary};
  std::array<char, 2> begin{};
  return file.read(begin.data(), begin.size()) && begin[0] == '#' && begin[1] == '!';
}

}  // namespace

std::string find_python(const std::string& given) {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  const bool active = given.empty() && environment != nullptr && *environment != '\0';
  const char* const of_command = std::getenv("DLCERT_PYTHON");
  const std::string name = active                  ? (fs::path{environment} / "bin/python").string()
                           : !given.empty()        ? given
                           : of_command != nullptr ? of_command
                                                   : "python3";
  std::string program = find_program(name);
  if (!program.empty()) return program;
  std::error_code error;
  if (active)
    throw python_problem(name, "no such program in the active virtual environment (VIRTUAL_ENV)");
  if (fs::is_directory(name, error))
    throw python_problem(
        name, fmt::format("expected a program but found a folder{}",
                          is_program(fs::path{name} / "bin/python")
                              ? fmt::format(": give '{}'", (fs::path{name} / "bin/python").string())
                              : ""));
  if (name.find('/') == std::string::npos)
    throw python_problem(name, "no such program on PATH: give one with --python");
  throw python_problem(name, fs::exists(name, error) ? "not an executable file" : "no such file");
}

InterpreterAnswer ask_python(const std::string& program, const std::vector<std::string>& packages,
                             std::chrono::milliseconds patience) {
  // -B: nothing is written beside anybody's files.
  std::vector<std::string> command{program, "-B", "-c", question};
  command.insert(command.end(), packages.begin(), packages.end());
  const auto began = std::chrono::steady_clock::now();
  std::string output;
  try {
    output = ask_program(command, patience);
  } catch (const std::system_error& error) {
    throw python_problem(program, error.what());
  }
  const std::size_t found = output.rfind(mark);
  if (found == std::string::npos) {
    if (std::chrono::steady_clock::now() - began >= patience)
      throw python_problem(program, fmt::format("expected an answer within {} s but found none",
                                                std::chrono::duration<double>(patience).count()));
    throw python_problem(program,
                         output.empty()
                             ? "expected an interpreter of Python, but it printed nothing"
                             : fmt::format("expected an interpreter of Python, but it printed '{}'",
                                           first_line(output)));
  }
  try {
    const std::string_view text = std::string_view{output}.substr(found + mark.size());
    InterpreterAnswer answer = parse(text.substr(0, text.find('\n')));
    if (answer.program.empty()) answer.program = program;
    return answer;
  } catch (const nlohmann::json::exception& error) {
    throw python_problem(program, fmt::format("its answer cannot be understood: {}", error.what()));
  }
}

Interpreter serving(const InterpreterAnswer& answer) {
  const std::pair version{answer.major, answer.minor};
  const bool cpython = answer.implementation == "cpython";
  if (!cpython || version < oldest || version > newest)
    throw python_problem(
        answer.program, fmt::format("expected CPython {}.{} to {}.{} but found {} {}", oldest.first,
                                    oldest.second, newest.first, newest.second,
                                    cpython ? "CPython" : answer.implementation, answer.version));
  if (answer.free_threaded)
    throw python_problem(
        answer.program,
        fmt::format("expected CPython with the global lock but found a free-threaded "
                    "build, {}: give another interpreter with --python",
                    answer.version));
  if (is_script(answer.program))
    throw python_problem(answer.program,
                         "expected the interpreter's own program but found a script");
  try {
    require_redirectable(answer.program);
  } catch (const std::runtime_error& error) {
    throw python_problem(answer.program,
                         fmt::format("no worker can run inside it: {}", error.what()));
  }
  return {answer.program, answer.version, answer.code};
}

}  // namespace dlcert
