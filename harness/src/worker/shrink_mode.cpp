// SPDX-License-Identifier: Apache-2.0
#include "worker/shrink_mode.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "worker/unit.hpp"

namespace dlcert {

namespace {

// The lines of a trace area: text and C statement, separated by a tab.
void add_events(Counterexample& example, std::string_view area) {
  while (!area.empty()) {
    const std::size_t end = std::min(area.find('\n'), area.size());
    const std::string_view line = area.substr(0, end);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    example.trace.emplace_back(line.substr(0, tab));
    if (tab + 1 < line.size()) example.program.emplace_back(line.substr(tab + 1));
    area.remove_prefix(std::min(end + 1, area.size()));
  }
}

}  // namespace

ShrinkMode::ShrinkMode(const Job& job, const Suite& suite, Records& records, std::size_t worker)
    : job_{job},
      suite_{suite},
      records_{records},
      worker_{worker},
      position_{records.position(worker)} {
  if (!loading_starts_threads()) parties_ = std::make_unique<Parties>(job_.adapters);
}

bool ShrinkMode::loading_starts_threads() {
  const CandidateEnd end = candidates_.run(
      [this](CandidateReport& report) {
        const Parties loaded{job_.adapters};
        report.judged = single_threaded() ? 1 : 0;
        ::_exit(0);
      },
      job_.case_seconds + job_.shrink_seconds, [this] { beat(position_); });
  return end != CandidateEnd::judged;
}

UnitRecord ShrinkMode::shrink(const Unit& unit) {
  UnitRecord record;
  record.requested = 1;
  record.cases = 1;
  const CandidateEnd death = try_case(unit, unit.choices, false);
  if (death == CandidateEnd::judged) {
    record.verdict = "pass";
    record.reason = "the case does not end the process when it runs alone";
    return record;
  }
  record.verdict = death == CandidateEnd::hung ? "timeout" : "crash";

  const Choices start = unit.choices ? *unit.choices : candidates_.choices();
  const auto dies = [&](const Choices& candidate) {
    return try_case(unit, candidate, false) == death;
  };
  Shrunk shrunk = dlcert::shrink(
      start, dies, {.candidates = job_.shrink_candidates, .seconds = job_.shrink_seconds});

  records_.clear_trace(worker_);
  try_case(unit, shrunk.choices, true);
  const std::uint64_t index = unit.only_case.value_or(0);
  record.counterexample = Counterexample{};
  record.counterexample->choices = std::move(shrunk.choices);
  record.counterexample->steps = shrunk.steps;
  record.counterexample->case_index = index;
  record.counterexample->size = case_size(index);
  add_events(*record.counterexample, records_.read_trace(worker_));
  return record;
}

CandidateEnd ShrinkMode::try_case(const Unit& unit, const std::optional<Choices>& choices,
                                  bool described) {
  beat(position_);
  return candidates_.run(
      [&](CandidateReport& report) { run_case_of(unit, choices, described, report); },
      job_.case_seconds, [this] { beat(position_); });
}

// In the candidate's process.
void ShrinkMode::run_case_of(const Unit& unit, const std::optional<Choices>& choices,
                             bool described, CandidateReport& report) {
  if (parties_ == nullptr) parties_ = std::make_unique<Parties>(job_.adapters);
  const Check& check = suite_.checks()[unit.check];
  const Binding binding = parties_->bind(unit, check.role, job_.settings);
  const CasePlan plan{check, binding, unit.seed, unit.only_case.value_or(0)};
  TraceCollector collector{[this](std::string_view line) { records_.append_trace(worker_, line); }};
  if (described) set_trace(&collector);
  if (choices) {
    Draw draw = Draw::replay(*choices, plan.size());
    run_case(plan, draw, nullptr);
  } else {
    std::optional<Draw> draw;
    draw_case(plan, draw, nullptr, &report.choices);
  }
  report.judged = 1;
}

}  // namespace dlcert
