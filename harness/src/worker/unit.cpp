// SPDX-License-Identifier: Apache-2.0
#include "worker/unit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include <dlcert/suite/work.hpp>

#include "records/share.hpp"
#include "worker/devices.hpp"
#include "worker/shrink.hpp"

namespace dlcert {

namespace {

using Clock = std::chrono::steady_clock;

// Candidates in this process are cheap. What is not the smallest case in time is shown as it is.
constexpr ShrinkBudget in_process_budget{.candidates = 20'000, .seconds = 2};
constexpr std::uint64_t cases_per_beat = 64;

std::uint64_t nanoseconds_of(Clock::duration duration) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

// A copy of this process that the library made must not move the position: the original would hang
// unseen.
void leave_if_copied(const Position& position) {
  if (const pid_t owner = position.pid; owner != 0 && owner != ::getpid()) ::_exit(EXIT_SUCCESS);
}

class UnitRun {
 public:
  UnitRun(const Check& check, const Binding& binding, const Unit& unit, const UnitReport& report)
      : check_{check}, binding_{binding}, unit_{unit}, report_{report} {
    const std::uint64_t rows = check.rows;
    const bool all_rows = rows != 0 && unit.spread_over == 0;
    record_.requested = unit.only_case || unit.choices ? 1 : all_rows ? rows : unit.cases;
  }

  UnitRecord run() {
    const Clock::time_point start = Clock::now();
    beat(report_.position);
    record_.inapplicable = why_inapplicable();
    if (record_.inapplicable.empty()) {
      if (unit_.only_case || unit_.choices)
        run_described();
      else
        run_all();
    }
    record_.observations = observations_.totals();
    record_.nanoseconds = nanoseconds_of(Clock::now() - start);
    return std::move(record_);
  }

 private:
  const Party& subject() const {
    return check_.role == Role::consumer ? binding_.consumer : binding_.producer;
  }

  // Why the check cannot be run between its parties, or on these devices; empty: it can.
  std::string why_inapplicable() const {
    if (!subject().offers(check_.needs))
      return fmt::format("needs {}", fmt::join(names_of(check_.needs & ~subject().offers()), ", "));
    if (std::string other = built_for_another(subject().table().properties, check_.platform);
        !other.empty())
      return other;
    if (!has_devices_of(check_.platform)) return "the driver has devices of the other vendor";
    if (check_.isolation == Isolation::process_per_case && binding_.settings.driver != "simulated")
      return "needs simulated devices";
    return {};
  }

  CasePlan plan(std::uint64_t index) const {
    return {check_, binding_, unit_.seed, index, unit_.without, &report_.position.inputs};
  }

  void run_all() {
    std::optional<Draw> draw;
    std::optional<FailedCase> shown;
    for (std::uint64_t nth = 0; nth < record_.requested; ++nth) {
      const CasePlan one = plan(case_at(unit_, nth));
      announce(one);
      const CaseOutcome outcome = draw_case(one, draw, &observations_);
      count(outcome);
      if (check_.pair) note_part(outcome);
      if (outcome.excluded && record_.cases == 0) break;  // the check hardly draws anything else
      if (outcome.end != CaseEnd::failed) continue;
      FailedCase failed{one.index, outcome.failure, outcome.inputs, outcome.minor, draw->choices()};
      failed.once = !shown && passes_again(one, failed);
      if (!shown || shown->once || (shown->minor && !failed.minor)) shown = std::move(failed);
      // A later case may show a more serious failure than a minor one, or one of many.
      if (!check_.pair && !shown->is_lesser()) break;
    }
    if (shown) explain(*shown);
  }

  struct FailedCase {
    std::uint64_t index = 0;
    Failure failure;
    InputProperties inputs = 0;
    bool minor = false;
    Choices choices;
    bool once = false;  // passes_again()
    bool is_lesser() const { return minor || once; }
  };

  // Returns whether a case that failed by an error passes if it is repeated at once. A case in a
  // process of its own meets another process.
  bool passes_again(const CasePlan& plan, const FailedCase& failed) const {
    if (!failed.failure.is_error || failed.minor || check_.pair ||
        check_.isolation != Isolation::shared)
      return false;
    Draw draw = Draw::replay(failed.choices, plan.size());
    return run_case(plan, draw, nullptr).end != CaseEnd::failed;
  }

  // What became of the dtype and layout that the case was about.
  void note_part(const CaseOutcome& outcome) {
    const bool found = outcome.end == CaseEnd::passed && outcome.met;
    const bool failed = outcome.end == CaseEnd::failed;
    if (!found && !failed && outcome.refusal.empty()) return;
    record_.parts[found    ? "found"
                  : failed ? "failed"
                           : "refused"][outcome.dtype]
        .push_back(outcome.layout);
    if (found) return;
    record_.part_texts[fmt::format("{} {}", outcome.dtype, outcome.layout)] =
        failed ? told(outcome.failure) : outcome.refusal;
  }

  static std::string told(const Failure& failure) {
    return failure.message.substr(0, failure.message.find('\n'));
  }

  // Runs the one case, drawn or replayed, and writes down its calls as they are made.
  void run_described() {
    const CasePlan one = plan(unit_.only_case.value_or(0));
    announce(one);
    TraceCollector collector{report_.trace_line};
    std::optional<Draw> draw;
    start_trace(collector, one.binding);
    CaseOutcome outcome;
    if (unit_.choices) {
      draw = Draw::replay(*unit_.choices, one.size());
      outcome = run_case(one, *draw, &observations_);
    } else {
      outcome = draw_case(one, draw, &observations_);
    }
    set_trace(nullptr);
    count(outcome);
    if (outcome.end == CaseEnd::failed) {
      note(outcome.failure, outcome.inputs);
      record_.counterexample = {
          draw->choices(), one.index, one.size(), 0, {}, {}, std::move(outcome.failure.recording)};
      add_trace(*record_.counterexample, collector.events());
    }
  }

  void announce(const CasePlan& one) {
    Position& position = report_.position;
    leave_if_copied(position);
    position.case_seed.store(one.seed(), std::memory_order_relaxed);
    position.case_index.store(one.index, std::memory_order_relaxed);
    position.signature[0] = position.frames[0] = '\0';
    if (one.index % cases_per_beat == 0 || unit_.spread_over != 0 || check_.pair) beat(position);
  }

  void count(const CaseOutcome& outcome) {
    if (record_.wrong_values.empty()) record_.wrong_values = outcome.wrong_values;
    const auto count_first = [](std::uint64_t& counter, std::string& first,
                                const std::string& reason) {
      if (counter++ == 0) first = reason;
    };
    switch (outcome.end) {
      case CaseEnd::passed:
        ++record_.cases;
        if (outcome.met) count_met(outcome.evidence);
        count(outcome.evidence);
        return;
      case CaseEnd::failed:
        ++record_.cases;
        return count_met(outcome.evidence);
      case CaseEnd::declined:
        return count_first(record_.declined, record_.why_declined, outcome.reason);
      case CaseEnd::not_judged:
        ++record_.not_judged;
        ++record_.limits[outcome.reason];
        return;
      case CaseEnd::inconclusive:
        return count_first(record_.inconclusive, record_.why_inconclusive, outcome.reason);
      case CaseEnd::no_tensor:
        ++record_.no_tensor;
        [[fallthrough]];
      case CaseEnd::unclaimed:
        count_work(Work::cases_unclaimed);
        return count_first(record_.unclaimed, record_.what_unclaimed, outcome.reason);
      case CaseEnd::not_formable:
        ++record_.not_formable;
        return;
      case CaseEnd::discarded:
        ++record_.discarded;
        return;
    }
  }

  void count_met(const CaseEvidence& evidence) {
    count_work(Work::cases_met);
    ++record_.met;
    for (const std::string& device : evidence.devices)
      ++record_.devices[device];
  }

  void count(const CaseEvidence& evidence) {
    EvidenceCounts& counts = record_.evidence;
    counts.made += evidence.made ? 1 : 0;
    counts.handed_over += evidence.handed_over ? 1 : 0;
    counts.found += evidence.found ? 1 : 0;
    counts.by_export += evidence.by_export ? 1 : 0;
  }

  void note(const Failure& failure, InputProperties inputs) {
    record_.failed = true;
    record_.owners = failure.owners;
    record_.inputs = inputs;
    record_.message = failure.message;
    record_.expected = failure.expected;
    record_.found = failure.found;
  }

  // Records the failure so far: the next step may end the process.
  void seal() const {
    if (report_.preliminary) report_.preliminary(record_);
  }

  // Notes the failure; if asked, finds the smallest case that fails as seriously, and writes down
  // its calls.
  void explain(const FailedCase& shown) {
    const CasePlan one = plan(shown.index);
    note(shown.failure, shown.inputs);
    record_.counterexample = {shown.choices, one.index, one.size(), 0, {}, {}};
    record_.happened_once = shown.once;
    if (!report_.explain || shown.once) return;
    seal();

    FailedCase smallest = shown;
    const auto fails = [&](const Choices& candidate) {
      beat(report_.position);
      Draw draw = Draw::replay(candidate, one.size());
      CaseOutcome outcome = run_case(one, draw, nullptr);
      if (outcome.end != CaseEnd::failed || (outcome.minor && !smallest.minor)) return false;
      smallest.failure = std::move(outcome.failure);
      smallest.inputs = outcome.inputs;
      smallest.minor = outcome.minor;
      return true;
    };
    Shrunk shrunk = shrink(shown.choices, fails, in_process_budget);
    note(smallest.failure, smallest.inputs);
    record_.counterexample->choices = std::move(shrunk.choices);
    record_.counterexample->steps = shrunk.steps;
    seal();

    TraceCollector collector{report_.trace_line};
    CaseOutcome described = describe_case(one, record_.counterexample->choices, collector);
    if (described.end == CaseEnd::failed && (!described.minor || smallest.minor)) {
      note(described.failure, described.inputs);
      record_.counterexample->recording = std::move(described.failure.recording);
    }
    add_trace(*record_.counterexample, collector.events());
  }

  const Check& check_;
  const Binding& binding_;
  const Unit& unit_;
  const UnitReport& report_;
  UnitRecord record_;
  Observations observations_;
};

}  // namespace

UnitRecord run_unit(const Check& check, const Binding& binding, const Unit& unit,
                    const UnitReport& report) {
  return UnitRun{check, binding, unit, report}.run();
}

void beat(Position& position) {
  leave_if_copied(position);
  const auto now = Clock::now().time_since_epoch();
  position.beat_nanoseconds.store(nanoseconds_of(now), std::memory_order_relaxed);
}

}  // namespace dlcert
