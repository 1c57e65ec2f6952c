// SPDX-License-Identifier: Apache-2.0
//
// One case: drawn and run.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/input_properties.hpp>
#include <dlcert/suite/trace.hpp>

#include "records/job.hpp"

namespace dlcert {

// How a case ended. What that means for its unit is decided in records/decide.hpp.
enum class CaseEnd : std::uint8_t {
  passed,
  failed,
  declined,      // the library did, as it may, what keeps the rule from being touched
  not_judged,    // a limit of dlcert's own
  inconclusive,  // the body saw nothing that a verdict can rest on
  discarded,     // the draw gave nothing that the check can use
  unclaimed,     // the library does not claim what the case takes
  no_tensor,     // the same of any tensor, whatever the rule is about (NoTensorClaimed)
  not_formable,  // the library's interface cannot form the case
};

// What a case showed of the library under test (suite/evidence.hpp).
struct CaseEvidence {
  bool made = false, handed_over = false, found = false, by_export = false;
  std::vector<std::string> devices = {};  // ShownInCase::devices()

  bool operator==(const CaseEvidence&) const = default;
};

struct CaseOutcome {
  CaseEnd end = CaseEnd::passed;
  Failure failure = {};     // of failed
  std::string reason = {};  // of declined, not_judged, inconclusive, unclaimed, no_tensor
  bool met = false;         // of passed: the rule was touched
  CaseEvidence evidence = {};
  bool of_bytes = false;       // of failed: elements are wrong (WrongBytes)
  InputProperties inputs = 0;  // of the input, as far as it was noted
  bool excluded = false;       // of discarded: for a property that the plan leaves out
  bool minor = false;          // of failed: Case::minor() kept the failure
  // Of a check of pairs: Case::dtype(), layout() and refusal().
  std::string dtype = {}, layout = {}, refusal = {};
  std::string wrong_values = {};  // of an export, whatever the case is about (ShownInCase)
};

// The size of a case: it grows with the index and starts over behind 100, so that case i is the
// same however many cases are run.
inline int case_size(std::uint64_t index) {
  return static_cast<int>(index % 101);
}

// One case to be run: of which check, between which parties. The members outlive it.
struct CasePlan {
  const Check& check;
  const Binding& binding;
  std::uint64_t unit_seed = 0;
  std::uint64_t index = 0;
  InputProperties without = 0;                   // Unit::without
  std::atomic<std::uint64_t>* inputs = nullptr;  // Position::inputs

  // For a check with rows; 0 otherwise.
  std::size_t row() const { return check.rows == 0 ? 0 : static_cast<std::size_t>(index); }
  int size() const { return case_size(index); }
  std::uint64_t seed() const { return mix_seed(unit_seed, index); }
  // A case that is discarded, or did not meet its rule, is drawn again from another seed.
  std::uint64_t max_redraws() const { return without == 0 ? 10 : 20; }
  std::uint64_t seed(std::uint64_t redraw) const {
    return redraw == 0 ? seed() : mix_seed(seed(), redraw);
  }
};

// Counts of what bodies reported by Case::observe().
class Observations {
 public:
  void count(std::span<const std::string_view> observed);
  std::map<std::string, std::uint64_t> totals() const;

 private:
  std::vector<std::pair<std::string, std::uint64_t>> counts_;
};

// Runs the body once, in this process. `observed` gets what the body reported by Case::observe().
CaseOutcome run_body(const CasePlan& plan, Draw& draw, std::vector<std::string_view>* observed);

// Runs the body once, in this process or, as its check's isolation asks, in a new one.
// `observations` may be NULL.
CaseOutcome run_case(const CasePlan& plan, Draw& draw, Observations* observations);

// Draws and runs the case until it is of use, at most 1 + max_redraws times. `draw` is set
// to the last draw. `observations` and `log`, which gets the choices as they are drawn, may be
// NULL.
CaseOutcome draw_case(const CasePlan& plan, std::optional<Draw>& draw, Observations* observations,
                      ChoiceLog* log = nullptr);

// Collects the events of a described case. Any thread may report one.
class TraceCollector : public TraceSink {
 public:
  // `onward` gets each event, and what is withdrawn, as lines of to_line(); it may be empty.
  explicit TraceCollector(std::function<void(std::string_view)> onward = {})
      : onward_{std::move(onward)} {}

  void event(std::string_view text, std::string_view statement) override;
  Language language() const override { return language_; }
  std::size_t told() const override;
  void withdraw_behind(std::size_t told) override;
  // Adds the events of another process, which has given them to its copy of `onward`.
  void keep(const std::vector<TraceEvent>& events);

  // No thread may tell anything any more.
  const std::vector<TraceEvent>& events() const { return events_; }

 private:
  friend void start_trace(TraceCollector& collector, const Binding& binding);

  std::function<void(std::string_view)> onward_;
  Language language_ = Language::c;
  mutable std::mutex mutex_;
  std::vector<TraceEvent> events_;
};

// Has what follows told to `collector`, in the language of the tested library's programs; see
// set_trace().
void start_trace(TraceCollector& collector, const Binding& binding);

// Runs the body once more, on the given choices, and writes down its calls in `collector`.
CaseOutcome describe_case(const CasePlan& plan, const Choices& choices, TraceCollector& collector);

}  // namespace dlcert
