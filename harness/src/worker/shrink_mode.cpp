// SPDX-License-Identifier: Apache-2.0
#include "worker/shrink_mode.hpp"

#include <chrono>
#include <utility>

#include <dlcert/suite/threads.hpp>

#include "worker/shrink.hpp"
#include "worker/unit.hpp"

namespace dlcert {

using Clock = std::chrono::steady_clock;

ShrinkMode::ShrinkMode(const Job& job, const Suite& suite, Records& records, std::size_t worker)
    : job_{job},
      suite_{suite},
      records_{records},
      worker_{worker},
      position_{records.position(worker)} {
  if (!job_.load_each_candidate && can_be_forked_when_loaded())
    parties_ = std::make_unique<Parties>(job_.adapters, job_.described);
}

bool ShrinkMode::can_be_forked_when_loaded() {
  const CandidateEnd end = candidates_.run(
      [this](CandidateReport&) {
        parties_ = std::make_unique<Parties>(job_.adapters,
                                             job_.described);  // never unloaded in that process
        const bool no_devices = job_.settings.driver == "simulated";
        return single_threaded() || (no_devices && parties_->take_part_in_forks());
      },
      {loading_seconds(), loading_seconds()}, [this] { beat(position_); });
  return end == CandidateEnd::survived;
}

UnitRecord ShrinkMode::shrink(const Unit& unit) {
  UnitRecord record;
  record.requested = 1;
  record.cases = 1;
  const CandidateEnd end = try_case(unit, unit.choices, false);
  if (end == CandidateEnd::survived) return record;
  const Choices start = unit.choices ? *unit.choices : candidates_.choices();
  const auto ends_alike = [&](const Choices& candidate) {
    return !hung_among_threads_ && try_case(unit, candidate, false) == end;
  };
  Shrunk shrunk = dlcert::shrink(
      start, ends_alike, {.candidates = job_.shrink_candidates, .seconds = job_.shrink_seconds});
  if (std::exchange(hung_among_threads_, false)) {
    record.cases = 0;
    record.inconclusive = 1;
    record.why_inconclusive = "a fork of a process with threads hangs";
    return record;
  }

  records_.clear_trace(worker_);
  try_case(unit, shrunk.choices, true);
  const std::uint64_t index = unit.only_case.value_or(0);
  record.counterexample = Counterexample{};
  record.counterexample->choices = std::move(shrunk.choices);
  record.counterexample->steps = shrunk.steps;
  record.counterexample->case_index = index;
  record.counterexample->size = case_size(index);
  add_trace(*record.counterexample, records_.read_trace(worker_));
  return record;
}

CandidateEnd ShrinkMode::try_case(const Unit& unit, const std::optional<Choices>& choices,
                                  bool described) {
  beat(position_);
  const CandidateEnd end = candidates_.run(
      [&](CandidateReport& report) {
        run_case_of(unit, choices, described, report);
        return true;
      },
      {job_.case_seconds, loading_seconds()}, [this] { beat(position_); });
  const bool among_threads = parties_ != nullptr && !single_threaded();
  hung_among_threads_ = hung_among_threads_ || (end == CandidateEnd::hung && among_threads);
  return end;
}

// There is no other limit of it here; all candidates together have this long.
double ShrinkMode::loading_seconds() const {
  return job_.case_seconds + job_.shrink_seconds;
}

// In the candidate's process.
void ShrinkMode::load(CandidateReport& report) {
  const Clock::time_point start = Clock::now();
  report.loading = true;
  parties_ = std::make_unique<Parties>(job_.adapters, job_.described);
  report.loading_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report.loading = false;
}

// In the candidate's process.
void ShrinkMode::run_case_of(const Unit& unit, const std::optional<Choices>& choices,
                             bool described, CandidateReport& report) {
  if (parties_ == nullptr) load(report);
  const Check& check = suite_.checks()[unit.check];
  const Binding binding = parties_->bind(unit, check.role, job_.settings);
  const CasePlan plan{check, binding, unit.seed, unit.only_case.value_or(0), unit.without};
  TraceCollector collector{[this](std::string_view line) { records_.append_trace(worker_, line); }};
  if (described) start_trace(collector, binding);
  if (choices) {
    Draw draw = Draw::replay(*choices, plan.size());
    run_case(plan, draw, nullptr);
  } else {
    std::optional<Draw> draw;
    draw_case(plan, draw, nullptr, &report.choices);
  }
}

}  // namespace dlcert
