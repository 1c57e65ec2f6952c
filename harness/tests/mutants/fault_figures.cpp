// SPDX-License-Identifier: Apache-2.0
#include "fault_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "report/atomic_file.hpp"
#include "report/faults.hpp"
#include "report/identity.hpp"
#include "side_by_side.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

fs::path place_of(const Mutant& mutant, const std::string& folder) {
  return fs::path{folder} / (mutant.id + ".json");
}

// Nothing where there is no complete record.
std::optional<Results> record_of(const Mutant& mutant, const std::string& folder) {
  const fs::path place = place_of(mutant, folder);
  if (!fs::exists(place)) return std::nullopt;
  Results results = results_from_json(read_text(place.string()));
  return results.complete ? std::optional{std::move(results)} : std::nullopt;
}

// Failed by themselves or as a consequence.
std::set<std::string> failed_requirements(const Results& results) {
  std::set<std::string> ids;
  for (const RequirementResult& result : results.results)
    if (broken(result.verdict) || result.verdict == Verdict::consequence)
      ids.insert(result.requirement);
  return ids;
}

bool is_named(const Mutant& mutant, const Fault& fault) {
  return std::ranges::count(mutant.facts.must_fail, fault.broken->requirement) != 0;
}

void judge_first_fault(FaultFigures& figures, const RecordedMutant& recorded) {
  const std::vector<Fault> faults = faults_of(recorded.results);
  const std::size_t failures = failed_requirements(recorded.results).size();
  const bool right = is_named(recorded.mutant, faults.front());
  figures.faults += faults.size();
  figures.failures += failures;
  if (was_looked_at(recorded.mutant)) {
    figures.looked_at.add(right);
  } else {
    figures.others.add(right);
    if (failures >= FaultFigures::wide_from) figures.wide.add(right);
  }
  if (!right)
    figures.wrong.push_back(
        fmt::format("{}: expected {} but found {} first, of {} faults and {} failed requirements",
                    recorded.mutant.id, fmt::join(recorded.mutant.facts.must_fail, ", "),
                    faults.front().id(), faults.size(), failures));
}

std::string line_of(std::string_view what, const Share& share) {
  return fmt::format("{}: {} of {} ({:.1f} %)\n", what, share.part, share.whole, share.percent());
}

}  // namespace

std::size_t record_all(const Manifest& manifest, const KillOptions& options,
                       const std::string& folder, bool others) {
  fs::create_directories(folder);
  std::vector<const Mutant*> chosen = chosen_of(manifest, options);
  if (others) std::erase_if(chosen, [](const Mutant* mutant) { return was_looked_at(*mutant); });
  std::vector<const Mutant*> unrecorded = chosen;
  if (options.only.empty())
    std::erase_if(unrecorded,
                  [&](const Mutant* mutant) { return record_of(*mutant, folder).has_value(); });
  side_by_side(
      unrecorded.size(),
      [&](std::size_t index) {
        Results results = run_mutant(*unrecorded[index], {}, options);
        apply_consequences(results, Register::embedded());
        return to_json(results);
      },
      [&](std::size_t index, const std::string& results) {
        write_file(place_of(*unrecorded[index], folder), results);
      });
  return chosen.size();
}

std::vector<RecordedMutant> read_recorded(const Manifest& manifest, const std::string& folder) {
  std::vector<RecordedMutant> recorded;
  for (const Mutant& mutant : manifest.mutants) {
    std::optional<Results> results = record_of(mutant, folder);
    if (results && !faults_of(*results).empty()) recorded.push_back({mutant, *std::move(results)});
  }
  return recorded;
}

void Share::add(bool is_part) {
  ++whole;
  part += is_part ? 1 : 0;
}

double Share::percent() const {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

bool was_looked_at(const Mutant& mutant) {
  constexpr std::string_view nobody = "57df";
  return nobody.find(sha256(mutant.id).back()) == nobody.npos;
}

FaultFigures measure_faults(const std::vector<RecordedMutant>& recorded) {
  FaultFigures figures;
  for (const RecordedMutant& one : recorded)
    judge_first_fault(figures, one);
  return figures;
}

std::string to_text(const FaultFigures& figures) {
  std::string text;
  for (const std::string& wrong : figures.wrong)
    text += wrong + "\n";
  text += line_of("first fault right, of the mutants that nobody looked at", figures.others);
  text +=
      line_of(fmt::format("of those with {} failed requirements and more", FaultFigures::wide_from),
              figures.wide);
  text += line_of("first fault right, of the mutants that were looked at", figures.looked_at);
  return text + fmt::format("{} faults, {} failed requirements, of {} mutants\n", figures.faults,
                            figures.failures, figures.others.whole + figures.looked_at.whole);
}

}  // namespace dlcert
