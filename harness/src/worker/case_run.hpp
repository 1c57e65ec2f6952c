// SPDX-License-Identifier: Apache-2.0
//
// One case: drawn and run.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/trace.hpp>

#include "records/job.hpp"

namespace dlcert {

// How a case ended. What that means for its unit is decided in records/decide.hpp.
enum class CaseEnd : std::uint8_t {
  passed,
  failed,
  inconclusive,  // the body saw nothing that a verdict can rest on
  discarded,     // the draw gave nothing that the check can use
  unclaimed,     // the library does not claim what the case takes
  not_formable,  // the library's interface cannot form the case
};

struct CaseOutcome {
  CaseEnd end = CaseEnd::passed;
  Failure failure = {};     // of failed
  std::string reason = {};  // of inconclusive and unclaimed
};

// Cases grow with their index and start over: case i is the same however many there are.
inline int case_size(std::uint64_t index) {
  return static_cast<int>(index % 101);
}

// Which case of which check between which parties. `row` equals the case index for a check with
// rows.
struct CasePlan {
  const Check& check;
  const Binding& binding;
  std::uint64_t unit_seed = 0;
  std::uint64_t index = 0;

  std::size_t row() const { return check.rows == 0 ? 0 : static_cast<std::size_t>(index); }
  int size() const { return case_size(index); }
  std::uint64_t seed() const { return mix_seed(unit_seed, index); }
  // A discarded case is drawn again from another seed.
  static constexpr std::uint64_t max_redraws = 10;
  std::uint64_t seed(std::uint64_t redraw) const {
    return redraw == 0 ? seed() : mix_seed(seed(), redraw);
  }
};

// Counts of what bodies observed.
class Observations {
 public:
  void count(std::span<const std::string_view> observed);
  std::map<std::string, std::uint64_t> totals() const;

 private:
  std::vector<std::pair<std::string, std::uint64_t>> counts_;
};

// Runs the body once, in this process. `observed` gets what it observed.
CaseOutcome run_body(const CasePlan& plan, Draw& draw, std::vector<std::string_view>* observed);

// Runs the body once, where its check wants to be run. `observations` may be NULL.
CaseOutcome run_case(const CasePlan& plan, Draw& draw, Observations* observations);

// Draws until a case is not discarded, and runs it. `draw` is set to the last draw; `discards`
// counts.
CaseOutcome draw_case(const CasePlan& plan, std::optional<Draw>& draw, Observations* observations,
                      ChoiceLog* log = nullptr);

// Collects the events of a described case and hands each on.
class TraceCollector : public TraceSink {
 public:
  // `onward` may be empty; it gets "text\tstatement".
  explicit TraceCollector(std::function<void(std::string_view)> onward = {})
      : onward_{std::move(onward)} {}

  void event(std::string_view text, std::string_view statement) override;
  // Events that another process has handed on already.
  void keep(const std::vector<std::pair<std::string, std::string>>& events);

  std::vector<std::string> lines;
  std::vector<std::string> statements;

 private:
  std::function<void(std::string_view)> onward_;
  std::mutex mutex_;
};

// Runs the body once more, on the given choices, and writes down its calls in `collector`.
CaseOutcome describe_case(const CasePlan& plan, const Choices& choices, TraceCollector& collector);

}  // namespace dlcert
