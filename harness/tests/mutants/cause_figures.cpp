// SPDX-License-Identifier: Apache-2.0
#include "cause_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "report/atomic_file.hpp"
#include "report/causes.hpp"
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

std::set<std::string> broken_requirements(const Results& results) {
  std::set<std::string> ids;
  for (const RequirementResult& result : results.results)
    if (broken(result.verdict)) ids.insert(result.requirement);
  return ids;
}

bool is_named(const Mutant& mutant, const RequirementResult* failure) {
  return std::ranges::count(mutant.facts.must_fail, failure->requirement) != 0;
}

bool has_named(const Mutant& mutant, const std::vector<const RequirementResult*>& failures) {
  return std::ranges::any_of(failures, [&](const auto* one) { return is_named(mutant, one); });
}

void judge_headlines(CauseFigures& figures, const RecordedMutant& recorded) {
  Results results = recorded.results;
  find_causes(results, Register::embedded());
  const std::vector<const RequirementResult*> told = headlines(results);
  const std::size_t failures = broken_requirements(results).size();
  const bool right = is_named(recorded.mutant, told.front());
  figures.first.add(right);
  figures.headlines += told.size();
  if (failures > 1) {
    figures.first_of_many.add(right);
    figures.among_of_many.add(has_named(recorded.mutant, told));
  }
  if (failures >= CauseFigures::wide_from) figures.first_of_wide.add(right);
  if (!right)
    figures.wrong.push_back(
        fmt::format("{}: expected {} but found {} first, of {} headlines of {} failures",
                    recorded.mutant.id, fmt::join(recorded.mutant.facts.must_fail, ", "),
                    told.front()->requirement, told.size(), failures));
}

// The failures of two mutants as those of one library: what both break has the results of both.
void judge_mixture(CauseFigures& figures, const RecordedMutant& one, const RecordedMutant& other) {
  Results mixed;
  for (const auto* const results : {&one.results, &other.results})
    for (const RequirementResult& result : results->results)
      if (broken(result.verdict)) {
        mixed.results.push_back(result);
        mixed.results.back().producer = mixed.results.back().consumer = "mixed";
      }
  find_causes(mixed, Register::embedded());
  const std::vector<const RequirementResult*> told = headlines(mixed);
  figures.both.add(has_named(one.mutant, told) && has_named(other.mutant, told));
}

std::string line_of(std::string_view what, const Share& share) {
  return fmt::format("{}: {} of {} ({:.1f} %)\n", what, share.part, share.whole, share.percent());
}

}  // namespace

std::size_t record_all(const Manifest& manifest, const KillOptions& options,
                       const std::string& folder) {
  fs::create_directories(folder);
  const std::vector<const Mutant*> chosen = chosen_of(manifest, options);
  std::vector<const Mutant*> unrecorded = chosen;
  if (options.only.empty())
    std::erase_if(unrecorded,
                  [&](const Mutant* mutant) { return record_of(*mutant, folder).has_value(); });
  side_by_side(
      unrecorded.size(),
      [&](std::size_t index) { return to_json(run_mutant(*unrecorded[index], {}, options)); },
      [&](std::size_t index, const std::string& results) {
        write_file(place_of(*unrecorded[index], folder), results);
      });
  return chosen.size();
}

std::vector<RecordedMutant> read_recorded(const Manifest& manifest, const std::string& folder) {
  std::vector<RecordedMutant> recorded;
  for (const Mutant& mutant : manifest.mutants) {
    std::optional<Results> results = record_of(mutant, folder);
    if (results && !broken_requirements(*results).empty())
      recorded.push_back({mutant, *std::move(results)});
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

CauseFigures measure_causes(const std::vector<RecordedMutant>& recorded) {
  CauseFigures figures;
  const std::size_t count = recorded.size();
  for (std::size_t i = 0; i < count; ++i) {
    judge_headlines(figures, recorded[i]);
    for (const std::size_t distance : {std::size_t{1}, count / 2})
      if (distance % count != 0)
        judge_mixture(figures, recorded[i], recorded[(i + distance) % count]);
  }
  return figures;
}

std::string to_text(const CauseFigures& figures) {
  std::string text;
  for (const std::string& wrong : figures.wrong)
    text += wrong + "\n";
  text += line_of("mutants whose first headline is a requirement of the fault", figures.first);
  text += line_of("of those with 2 and more failures", figures.first_of_many);
  text += line_of(fmt::format("of those with {} and more", CauseFigures::wide_from),
                  figures.first_of_wide);
  text += line_of("of those with 2 and more failures, one of the headlines", figures.among_of_many);
  text += line_of("mixtures of two mutants with a headline of each", figures.both);
  return text + fmt::format("{} headlines of {} mutants\n", figures.headlines, figures.first.whole);
}

}  // namespace dlcert
