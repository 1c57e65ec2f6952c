// SPDX-License-Identifier: Apache-2.0
#include "python/locator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "register/names.hpp"
#include "register/text.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

std::runtime_error adapter_problem(std::string_view locator, const std::string& what) {
  return std::runtime_error{one_line(fmt::format("adapter '{}': {}", locator, what))};
}

// The first that is there, of places beside a program; the first of all where none is.
fs::path first_there(const fs::path& folder, std::initializer_list<const char*> places) {
  std::error_code error;
  for (const char* const place : places)
    if (const fs::path path = (folder / place).lexically_normal(); fs::exists(path, error))
      return path;
  return (folder / *places.begin()).lexically_normal();
}

// The folder that holds the package: as built or installed, or in a wheel, which holds the
// programs.
fs::path packages_near(const fs::path& folder) {
  const fs::path usual = "../share/dlcert/python";
  std::error_code error;
  for (const fs::path& place : {usual, fs::path{"../../share/dlcert/python"}, fs::path{"../../.."},
                                fs::path{"../../../.."}})
    if (fs::exists(folder / place / "dlcert/__init__.py", error))
      return fs::canonical(folder / place, error);
  return (folder / usual).lexically_normal();
}

fs::path require_file(const std::string& locator, const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw adapter_problem(locator, "no such file");
  if (!fs::is_regular_file(path, error)) throw adapter_problem(locator, "not a file");
  return fs::absolute(path).lexically_normal();
}

void require_bridge(const std::string& locator, const PythonParts& parts) {
  if (std::error_code error; !fs::exists(parts.bridge, error))
    throw adapter_problem(locator,
                          fmt::format("no file '{}', which dlcert needs for adapters in Python",
                                      parts.bridge.string()));
  if (parts.bridge.string().find_first_of(" :") != std::string::npos)
    throw adapter_problem(
        locator,
        fmt::format("dlcert is in the folder '{}': expected a path without space and colon, "
                    "since LD_PRELOAD has to name it",
                    parts.bridge.parent_path().string()));
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view digits = "0123456789";
  return !text.empty() && digits.find(text[0]) == digits.npos &&
         std::ranges::all_of(text, [&](char c) {
           return letters.find(c) != letters.npos || digits.find(c) != digits.npos;
         });
}

// "package.module", to any depth.
bool is_module_name(std::string_view text) {
  for (std::size_t dot = 0; (dot = text.find('.')) != text.npos; text.remove_prefix(dot + 1))
    if (!is_identifier(text.substr(0, dot))) return false;
  return is_identifier(text);
}

// An adapter written in Python.
struct PythonAdapter {
  std::string shown;  // a locator that means the same from every folder
  fs::path file;      // absolute; empty: `module` is given
  std::string module;
};

PythonAdapter python_adapter(const std::string& locator, const PythonParts& parts) {
  const std::string name = locator.substr(python_scheme.size());
  const std::vector<std::string> bundled = bundled_adapters(parts);
  if (std::ranges::find(bundled, name) != bundled.end())
    return {locator, parts.adapters / (name + ".py"), {}};
  if (name.find('/') != name.npos || name.ends_with(".py")) {
    const fs::path file = require_file(locator, name);
    return {std::string{python_scheme} + file.string(), file, {}};
  }
  if (!is_module_name(name))
    throw adapter_problem(locator,
                          "expected python:NAME, python:./FILE.py or python:PACKAGE.MODULE");
  if (name.find('.') != name.npos) return {locator, {}, name};
  const std::string near = nearest_name(name, bundled);
  throw adapter_problem(locator, fmt::format("dlcert has no adapter of that name{} (it has {}); "
                                             "name your own adapter as python:./FILE.py or "
                                             "python:PACKAGE.MODULE",
                                             did_you_mean(near), join(bundled)));
}

// As dlcert_adapter_named() of the module takes it.
std::string name_of(const PythonAdapter& adapter, const Interpreter& interpreter,
                    const PythonParts& parts) {
  nlohmann::ordered_json name;
  name["interpreter"] = {{"program", interpreter.program}, {"version", interpreter.version}};
  name["packages"] = parts.packages.string();
  name["shown"] = adapter.shown;
  if (adapter.file.empty())
    name["module"] = adapter.module;
  else
    name["file"] = adapter.file.string();
  try {
    return name.dump();
  } catch (const nlohmann::json::exception&) {
    throw adapter_problem(adapter.shown, "expected paths in UTF-8");
  }
}

// The package `dlcert`, which adapters inherit from.
std::vector<fs::path> files_of_package(const PythonParts& parts) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator{parts.packages / "dlcert", error})
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Of acme.py: with _acme.py, _acme_streams.py and whatever else lies beside it and begins so.
std::vector<fs::path> files_of_adapter(const fs::path& file) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator{file.parent_path(), error})
    if (entry.path().extension() == ".py" &&
        entry.path().filename().string().starts_with("_" + file.stem().string()))
      files.push_back(entry.path());
  std::ranges::sort(files);
  files.insert(files.begin(), file);
  return files;
}

}  // namespace

PythonParts PythonParts::of(const fs::path& program) {
  const fs::path folder = program.parent_path();
  // As built; as installed, seen from dlcert in bin and from dlcert-worker in libexec/dlcert.
  return {
      first_there(folder,
                  {"../lib/libdlcert_python_adapter.so",
                   "../libexec/dlcert/libdlcert_python_adapter.so", "libdlcert_python_adapter.so"}),
      packages_near(folder),
      first_there(folder, {"../share/dlcert/adapters", "../../share/dlcert/adapters"}),
      first_there(folder, {"../lib/python", "../libexec/dlcert/reference", "reference"}),
      first_there(folder, {"../lib/libdlcert_reference_adapter.so",
                           "../libexec/dlcert/libdlcert_reference_adapter.so",
                           "libdlcert_reference_adapter.so"}),
  };
}

// What begins with an underscore is a part of an adapter.
std::vector<std::string> bundled_adapters(const PythonParts& parts) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator{parts.adapters, error})
    if (const fs::path file = entry.path().filename(); file.extension() == ".py" &&
                                                       is_identifier(file.stem().string()) &&
                                                       !file.string().starts_with('_'))
      names.push_back(file.stem().string());
  std::ranges::sort(names);
  return names;
}

LocatedAdapters locate_adapters(const std::vector<std::string>& locators, const std::string& python,
                                const fs::path& program) {
  const PythonParts parts = PythonParts::of(program);
  LocatedAdapters located;
  for (const std::string& locator : locators) {
    if (!is_in_python(locator)) {
      located.files.push_back(require_file(locator, locator));
      located.sources.emplace_back(located.files.back().string());
      continue;
    }
    const PythonAdapter adapter = python_adapter(locator, parts);
    if (!located.interpreter) {
      require_bridge(locator, parts);
      located.interpreter = serving(ask_python(find_python(python)));
      located.files.push_back(parts.bridge);
      std::ranges::copy(files_of_package(parts), std::back_inserter(located.files));
    }
    if (!adapter.file.empty())
      std::ranges::copy(files_of_adapter(adapter.file), std::back_inserter(located.files));
    located.sources.emplace_back(adapter.shown, parts.bridge.string(),
                                 name_of(adapter, *located.interpreter, parts),
                                 located.interpreter->program);
  }
  if (!python.empty() && !located.interpreter)
    throw std::runtime_error{one_line(
        fmt::format("--python {}: expected an adapter 'python:...' but found none", python))};
  return located;
}

}  // namespace dlcert
