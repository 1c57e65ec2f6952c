// SPDX-License-Identifier: Apache-2.0
#include "audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "register/register.hpp"

namespace dlcert {
namespace {

class Audit {
 public:
  Audit(const Manifest& manifest, const std::vector<Bug>& bugs) : manifest_{manifest}, bugs_{bugs} {
    for (const Mutant& mutant : manifest.mutants) {
      planted_.insert(mutant.facts.bug);
      killing_.insert(mutant.facts.must_fail.begin(), mutant.facts.must_fail.end());
    }
  }

  std::vector<std::string> run(const std::filesystem::path& sources) && {
    for (const auto& [area, must_pass] : manifest_.must_pass) {
      if (must_pass.empty()) report("area {}: names no requirement that its mutants pass", area);
      check_requirements("area " + area, must_pass);
      check_sources(sources, area);
    }
    check_mutants();
    check_bugs();
    check_coverage();
    return std::move(problems_);
  }

 private:
  template <typename... Args>
  void report(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  bool is_area(const std::string& area) const { return manifest_.must_pass.contains(area); }

  void check_requirements(const std::string& who, const std::vector<std::string>& ids) {
    for (const std::string& id : ids)
      if (Register::embedded().find(id) == nullptr) report("{}: unknown requirement {}", who, id);
  }

  // Each file of an area's folder plants one fault, but for area.cpp. The folder is a C++ name.
  void check_sources(const std::filesystem::path& sources, const std::string& area) {
    std::set<std::string> ids{"area"};
    for (const Mutant& mutant : manifest_.mutants)
      if (mutant.area == area) ids.insert(mutant.id);
    std::string folder = area;
    std::ranges::replace(folder, '-', '_');
    for (const auto& entry : std::filesystem::directory_iterator{sources / folder})
      if (!ids.contains(entry.path().stem().string()))
        report("{}: plants no fault", entry.path().string());
  }

  void check_mutants() {
    std::set<std::string> ids;
    for (const Mutant& mutant : manifest_.mutants) {
      const auto& [id, area, facts] = mutant;
      const std::string who = "mutant " + id;
      if (!ids.insert(id).second) report("{}: listed twice", who);
      if (facts.fault.empty()) report("{}: says no fault", who);
      if (facts.must_fail.empty()) report("{}: names no requirement that finds it", who);
      if (manifest_.must_pass_of(mutant).empty()) report("{}: need not pass anything", who);
      check_requirements(who, facts.must_fail);
      for (const std::string& broken : facts.may_break)
        if (std::ranges::count(manifest_.must_pass.at(area), broken) == 0)
          report("{}: may break {}, which the area does not ask for", who, broken);
    }
  }

  void check_bugs() {
    std::set<std::string> unknown = planted_;
    unknown.erase("");
    for (const auto& [id, area, not_planted] : bugs_) {
      unknown.erase(id);
      const bool planted = planted_.contains(id), excused = !not_planted.empty();
      if (planted && excused) report("bug {}: both planted and excused", id);
      if (!planted && !excused && is_area(area)) report("bug {}: neither planted nor excused", id);
    }
    for (const std::string& id : unknown)
      report("bug {}: unknown", id);
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
  const std::vector<Bug>& bugs_;
  std::set<std::string> planted_, killing_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> problems(const Manifest& manifest, const std::vector<Bug>& bugs,
                                  const std::string& sources) {
  return Audit{manifest, bugs}.run(sources);
}

}  // namespace dlcert
