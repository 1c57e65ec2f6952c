// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "register/register.hpp"

namespace dlcert {
namespace {

using nlohmann::json;

constexpr std::string_view areas[] = {"abi",      "capsule",  "devices", "exchange-api",
                                      "lifetime", "protocol", "runtime", "sharing",
                                      "stream",   "telemetry"};

bool is_area(std::string_view area) {
  return std::ranges::find(areas, area) != std::end(areas);
}

// The folder of an area's mutants, which is a C++ name.
std::string folder_of(std::string_view area) {
  std::string folder{area};
  std::ranges::replace(folder, '-', '_');
  return folder;
}

json read_json(const std::string& path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error{fmt::format("{}: cannot be read", path)};
  try {
    return json::parse(file);
  } catch (const json::exception& error) {
    throw std::runtime_error{fmt::format("{}: {}", path, error.what())};
  }
}

class Audit {
 public:
  Audit(const Manifest& manifest, const json& bugs, std::filesystem::path sources)
      : manifest_{manifest}, bugs_{bugs}, sources_{std::move(sources)} {}

  std::vector<std::string> run() && {
    for (const Mutant& mutant : manifest_.mutants)
      check(mutant);
    check_sources();
    check_bugs();
    check_coverage();
    return std::move(problems_);
  }

 private:
  template <typename... Args>
  void report(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void check(const Mutant& mutant) {
    if (!ids_.insert(mutant.id).second) report("mutant {}: listed twice", mutant.id);
    if (!is_area(mutant.area)) report("mutant {}: unknown area {}", mutant.id, mutant.area);
    if (mutant.fault.empty()) report("mutant {}: says no fault", mutant.id);
    if (mutant.must_pass.empty())
      report("mutant {}: names no requirement that must still pass", mutant.id);
    for (const std::string& id : mutant.must_pass)
      check_requirement(mutant, id);
    check_requirement(mutant, mutant.must_fail);
    if (!exists(source_of(mutant)))
      report("mutant {}: {} is missing", mutant.id, source_of(mutant).string());
    if (!mutant.bug.empty()) planted_.insert(mutant.bug);
    killing_.insert(mutant.must_fail);
  }

  void check_requirement(const Mutant& mutant, const std::string& id) {
    if (Register::embedded().find(id) == nullptr)
      report("mutant {}: unknown requirement {}", mutant.id, id);
  }

  std::filesystem::path source_of(const Mutant& mutant) const {
    return sources_ / folder_of(mutant.area) / (mutant.id + ".cpp");
  }

  void check_sources() {
    for (const std::string_view area : areas)
      for (const auto& entry : std::filesystem::directory_iterator{sources_ / folder_of(area)})
        if (!ids_.contains(entry.path().stem().string()))
          report("{}: not in the manifest", entry.path().string());
  }

  void check_bugs() {
    std::set<std::string> excused;
    for (const NotPlanted& entry : manifest_.not_planted) {
      if (entry.reason.empty()) report("bug {}: not planted without a reason", entry.bug);
      if (planted_.contains(entry.bug)) report("bug {}: both planted and excused", entry.bug);
      excused.insert(entry.bug);
    }
    std::set<std::string> known;
    for (const json& bug : bugs_) {
      const std::string id = bug.at("id");
      known.insert(id);
      if (is_area(bug.at("area").get<std::string>()) && !planted_.contains(id) &&
          !excused.contains(id))
        report("bug {}: neither planted nor excused", id);
    }
    for (const auto& set : {planted_, excused})
      for (const std::string& id : set)
        if (!known.contains(id)) report("bug {}: unknown", id);
  }

  void check_coverage() {
    for (const Requirement& requirement : Register::embedded().requirements()) {
      const bool must = requirement.level == Level::must && requirement.c_level == "yes" &&
                        requirement.excused.empty();
      if (must && is_area(requirement.area) && !killing_.contains(requirement.id))
        report("requirement {}: no mutant makes it fail", requirement.id);
    }
  }

  const Manifest& manifest_;
  const json& bugs_;
  std::filesystem::path sources_;
  std::vector<std::string> problems_;
  std::set<std::string> ids_, planted_, killing_;
};

}  // namespace

Manifest read_manifest(const std::string& path) {
  const json document = read_json(path);
  Manifest manifest;
  try {
    for (const json& entry : document.at("mutants"))
      manifest.mutants.push_back(
          {entry.at("id"), entry.at("area"), entry.value("bug", ""), entry.at("fault"),
           entry.at("must_fail"), entry.value("spec", "1.3"),
           entry.value("policies", std::map<std::string, std::string>{}), entry.at("must_pass")});
    for (const json& entry : document.at("not_planted"))
      manifest.not_planted.push_back({entry.at("bug"), entry.at("reason")});
  } catch (const json::exception& error) {
    throw std::runtime_error{fmt::format("{}: {}", path, error.what())};
  }
  return manifest;
}

std::vector<std::string> problems(const Manifest& manifest, const std::string& bugs_path,
                                  const std::string& sources) {
  const json bugs = read_json(bugs_path);
  return Audit{manifest, bugs, sources}.run();
}

}  // namespace dlcert
