// SPDX-License-Identifier: Apache-2.0
#include "report/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "register/enum_texts.hpp"
#include "report/results.hpp"

namespace dlcert {
namespace {

constexpr std::array<std::string_view, cell_state_count> cell_texts{"full",
                                                                    "partial",
                                                                    "broken",
                                                                    "nothing exchanged",
                                                                    "not judged",
                                                                    "not its role",
                                                                    cannot_be_loaded_together};
constexpr std::array<std::string_view, 5> fault_texts{"none", "producer", "consumer", "both",
                                                      "untold"};

using Parts = std::map<std::string, std::vector<std::string>>;

const Parts& parts_of(const CheckResult& check, const std::string& how) {
  static const Parts none;
  const auto found = check.record.parts.find(how);
  return found == check.record.parts.end() ? none : found->second;
}

std::uint64_t count(const Parts& parts) {
  std::uint64_t sum = 0;
  for (const auto& [dtype, layouts] : parts)
    sum += layouts.size();
  return sum;
}

bool has_layout(const std::vector<std::string>& layouts, const std::string& layout) {
  return std::ranges::find(layouts, layout) != layouts.end();
}

// Whether the control shows one of these dtypes in one of their layouts, or, of a check that takes
// one dtype for each layout, the layout.
bool shows(const Parts& control, const Parts& parts, bool by_layout) {
  for (const auto& [dtype, layouts] : parts)
    for (const auto& [other, shown] : control)
      for (const std::string& layout : layouts)
        if ((by_layout || dtype == other) && has_layout(shown, layout)) return true;
  return false;
}

class CellFinder {
 public:
  CellFinder(const Results& results, const std::string& producer, const std::string& consumer)
      : results_{results} {
    cell_.producer = producer;
    cell_.consumer = consumer;
    for (const RequirementResult& result : results.results)
      if (result.producer == producer && result.consumer == consumer) of_cell_.push_back(&result);
  }

  Cell find() &&;

 private:
  void find_rows();
  void add_losses(const RequirementResult& result, const CheckResult& check);
  bool is_shown_by(std::string_view producer, std::string_view consumer,
                   const std::string& requirement, const CheckResult& check,
                   const Loss& loss) const;
  AtFault fault_of(const RequirementResult& result, const CheckResult& check,
                   const Loss& loss) const;
  void add_ends_alone();
  CellState state() const;
  std::string reason() const;

  const Results& results_;
  std::vector<const RequirementResult*> of_cell_;
  bool is_of_arrivals(const CheckResult& check) const;

  const CheckResult* widest_ = nullptr;    // the check of the most rows: of dtypes and layouts
  std::span<const CheckResult> arrivals_;  // it and those of its requirement: on devices
  bool ends_alone_ = false;
  Cell cell_;
};

void CellFinder::find_rows() {
  for (const RequirementResult* const result : of_cell_)
    for (const CheckResult& check : result->checks)
      if (widest_ == nullptr || check.record.requested > widest_->record.requested) {
        widest_ = &check;
        arrivals_ = result->checks;
      }
  if (widest_ == nullptr) return;
  for (const CheckResult& check : arrivals_) {
    cell_.found += count(parts_of(check, "found"));
    cell_.refused += count(parts_of(check, "refused"));
    cell_.failed += count(parts_of(check, "failed"));
  }
  cell_.unclaimed = widest_->record.unclaimed;
}

bool CellFinder::is_of_arrivals(const CheckResult& check) const {
  return std::ranges::any_of(arrivals_, [&](const CheckResult& one) { return &one == &check; });
}

bool CellFinder::is_shown_by(std::string_view producer, std::string_view consumer,
                             const std::string& requirement, const CheckResult& check,
                             const Loss& loss) const {
  for (const RequirementResult& control : results_.matrix->controls) {
    if (control.producer != producer || control.consumer != consumer) continue;
    for (const CheckResult& one : control.checks) {
      const bool ended = one.verdict == Verdict::crash || one.verdict == Verdict::timeout;
      if (ended && (loss.parts.empty() || control.requirement == requirement)) return true;
      if (control.requirement != requirement || one.name != check.name ||
          one.platform != check.platform)
        continue;
      const bool by_layout = !is_of_arrivals(check);
      if (shows(parts_of(one, loss.how), loss.parts, by_layout)) return true;
      if (loss.how == "failed" && shows(parts_of(one, "refused"), loss.parts, by_layout))
        return true;
    }
  }
  return false;
}

AtFault CellFinder::fault_of(const RequirementResult& result, const CheckResult& check,
                             const Loss& loss) const {
  const bool by_producer = is_shown_by(cell_.producer, own_name, result.requirement, check, loss);
  const bool by_consumer = is_shown_by(own_name, cell_.consumer, result.requirement, check, loss);
  if (by_producer && by_consumer) return AtFault::both;
  if (by_producer) return AtFault::producer;
  return by_consumer ? AtFault::consumer : AtFault::untold;
}

void CellFinder::add_losses(const RequirementResult& result, const CheckResult& check) {
  const auto add = [&](const std::string& how, const Parts& parts, std::string text) {
    Loss& loss = cell_.losses.emplace_back();
    loss.requirement = result.requirement;
    loss.how = how;
    loss.parts = parts;
    loss.text = std::move(text);
    loss.fault = fault_of(result, check, loss);
  };
  const auto text_of = [&](const Parts& parts) {
    const std::string part =
        fmt::format("{} {}", parts.begin()->first, parts.begin()->second.front());
    const auto found = check.record.part_texts.find(part);
    return found == check.record.part_texts.end() ? failure_text(check) : found->second;
  };
  for (const std::string& how : {std::string{"failed"}, std::string{"refused"}})
    if (const Parts& parts = parts_of(check, how); !parts.empty()) add(how, parts, text_of(parts));
  if (check.verdict == Verdict::crash || check.verdict == Verdict::timeout)
    add(std::string{to_text(check.verdict)}, {}, failure_text(check));
}

// A side that ends or hangs its process against the harness does so beside every library, which is
// not run for it.
void CellFinder::add_ends_alone() {
  for (const RequirementResult& control : results_.matrix->controls) {
    const bool by_producer = control.producer == cell_.producer && control.consumer == own_name;
    const bool by_consumer = control.producer == own_name && control.consumer == cell_.consumer;
    const bool ended = control.verdict == Verdict::crash || control.verdict == Verdict::timeout;
    const auto same = std::ranges::find_if(of_cell_, [&](const RequirementResult* result) {
      return result->requirement == control.requirement && result->verdict == Verdict::not_run;
    });
    if (!ended || !(by_producer || by_consumer) || same == of_cell_.end()) continue;
    Loss& loss = cell_.losses.emplace_back();
    loss.requirement = control.requirement;
    loss.how = to_text(control.verdict);
    loss.fault = by_producer ? AtFault::producer : AtFault::consumer;
    loss.text = control.checks.empty() ? control.reason : failure_text(control.checks.front());
    ends_alone_ = true;
  }
}

CellState CellFinder::state() const {
  bool has_role = false, broken_all = ends_alone_, unjudged = false, less = false;
  for (const RequirementResult* const result : of_cell_) {
    has_role = has_role || !result->checks.empty() || result->verdict != Verdict::not_applicable;
    const bool rows_alone = std::ranges::all_of(result->checks, [&](const CheckResult& check) {
      return check.verdict != Verdict::fail || is_of_arrivals(check);
    });
    const bool ended = result->verdict == Verdict::crash || result->verdict == Verdict::timeout;
    if (broken(result->verdict) && (ended || (!rows_alone && result->binding))) broken_all = true;
    less = less || broken(result->verdict) || result->verdict == Verdict::waived ||
           result->verdict == Verdict::consequence;
    unjudged = unjudged || result->verdict == Verdict::not_run ||
               result->verdict == Verdict::inconclusive || result->verdict == Verdict::flaky;
  }
  if (!has_role) return CellState::no_role;
  if (find_clash(results_.matrix->clashes, cell_.producer, cell_.consumer) != nullptr)
    return CellState::apart;
  // What was not run since one side breaks against the harness alone is broken.
  if (broken_all || (cell_.found == 0 && cell_.failed != 0)) return CellState::broken;
  if (unjudged) return CellState::not_run;
  if (cell_.found == 0) return CellState::nothing;
  return less || cell_.refused != 0 || cell_.failed != 0 ? CellState::partial : CellState::full;
}

std::string CellFinder::reason() const {
  if (cell_.state == CellState::apart)
    return clash_text(*find_clash(results_.matrix->clashes, cell_.producer, cell_.consumer));
  if (cell_.state == CellState::nothing && widest_ != nullptr) {
    if (cell_.refused != 0)
      return fmt::format("all {} tensors were refused: {}", cell_.refused,
                         widest_->record.part_texts.empty()
                             ? std::string{}
                             : widest_->record.part_texts.begin()->second);
    if (!widest_->reason.empty()) return widest_->reason;
    return "the libraries claim no common dtype and layout";
  }
  for (const RequirementResult* const result : of_cell_)
    if (!result->reason.empty() && result->verdict != Verdict::pass &&
        (cell_.state == CellState::no_role || result->verdict != Verdict::not_applicable))
      return result->reason;
  return {};
}

Cell CellFinder::find() && {
  find_rows();
  for (const RequirementResult* const result : of_cell_)
    for (const CheckResult& check : result->checks)
      add_losses(*result, check);
  add_ends_alone();
  cell_.state = state();
  if (cell_.state != CellState::full && cell_.state != CellState::partial) cell_.reason = reason();
  return std::move(cell_);
}

}  // namespace

std::string_view to_text(CellState state) {
  return cell_texts.at(static_cast<std::size_t>(state));
}
CellState cell_state_from_text(std::string_view text) {
  return enum_from_text<CellState>(text, cell_texts, "state of a cell");
}
std::string_view to_text(AtFault fault) {
  return fault_texts.at(static_cast<std::size_t>(fault));
}
AtFault at_fault_from_text(std::string_view text) {
  return enum_from_text<AtFault>(text, fault_texts, "fault");
}

bool is_of(const Clash& clash, std::string_view producer, std::string_view consumer) {
  return (clash.first == producer && clash.second == consumer) ||
         (clash.first == consumer && clash.second == producer);
}

const Clash* find_clash(const std::vector<Clash>& clashes, std::string_view producer,
                        std::string_view consumer) {
  const auto found = std::ranges::find_if(
      clashes, [&](const Clash& clash) { return is_of(clash, producer, consumer); });
  return found == clashes.end() ? nullptr : &*found;
}

std::string clash_text(const Clash& clash) {
  std::vector<std::string> texts;
  for (const LoadOrder& order : clash.orders)
    texts.push_back(fmt::format("{}, then {}: {}", order.first, order.second,
                                order.loads ? "both load" : order.how));
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool is_apart(const Results& results, const RequirementResult& result) {
  return results.matrix && result.checks.empty() &&
         find_clash(results.matrix->clashes, result.producer, result.consumer) != nullptr;
}

bool is_pair(const RequirementResult& result) {
  return !result.consumer.empty() && result.producer != own_name && result.consumer != own_name;
}

void find_cells(Results& results) {
  std::vector<Cell> cells;
  for (const AdapterInfo& producer : results.adapters)
    for (const AdapterInfo& consumer : results.adapters)
      cells.push_back(CellFinder{results, producer.name, consumer.name}.find());
  results.matrix->cells = std::move(cells);
}

std::string fault_text(const Cell& cell, AtFault fault) {
  switch (fault) {
    case AtFault::none:
      return {};
    case AtFault::producer:
      return fmt::format("{} as producer does the same with dlcert", cell.producer);
    case AtFault::consumer:
      return fmt::format("{} as consumer does the same with dlcert", cell.consumer);
    case AtFault::both:
      return "both libraries do the same with dlcert";
    case AtFault::untold:
      break;
  }
  return "neither library does this with dlcert";
}

std::string parts_text(const Parts& parts, std::size_t shown) {
  // Dtypes that lost the same layouts stand together.
  std::map<std::string, std::vector<std::string>> by_layouts;
  for (const auto& [dtype, layouts] : parts)
    by_layouts[fmt::format("{}", fmt::join(layouts, ", "))].push_back(dtype);
  std::vector<std::string> texts;
  for (const auto& [layouts, dtypes] : by_layouts)
    texts.push_back(fmt::format("{} ({})", fmt::join(dtypes, ", "), layouts));
  const std::size_t more = texts.size() - std::min(shown, texts.size());
  texts.resize(texts.size() - more);
  return fmt::format("{}{}", fmt::join(texts, "; "),
                     more == 0 ? std::string{} : fmt::format("; and {} more", more));
}

}  // namespace dlcert
