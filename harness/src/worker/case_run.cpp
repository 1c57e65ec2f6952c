// SPDX-License-Identifier: Apache-2.0
#include "worker/case_run.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/table.hpp>
#include <dlcert/suite/work.hpp>

#include "party/formed.hpp"
#include "party/python_source.hpp"
#include "register/text.hpp"
#include "worker/devices.hpp"
#include "worker/isolated_case.hpp"

namespace dlcert {

void Observations::count(std::span<const std::string_view> observed) {
  for (const std::string_view what : observed) {
    const auto place = std::ranges::find(
        counts_, what, [](const auto& counted) -> std::string_view { return counted.first; });
    if (place == counts_.end())
      counts_.emplace_back(what, 1);
    else
      ++place->second;
  }
}

std::map<std::string, std::uint64_t> Observations::totals() const {
  return {counts_.begin(), counts_.end()};
}

namespace {

constexpr std::string_view unknown_bytes = "dlcert does not know the bytes that a kernel wrote";

CaseOutcome end_of_body(const CasePlan& plan, Case& one) {
  try {
    plan.check.body(one);
  } catch (WrongBytes& failure) {
    return {.end = CaseEnd::failed, .failure = std::move(failure), .of_bytes = true};
  } catch (Failure& failure) {
    return {CaseEnd::failed, std::move(failure)};
  } catch (const Discard&) {
    return {CaseEnd::discarded};
  } catch (const ExcludedInput&) {
    return {.end = CaseEnd::discarded, .excluded = true};
  } catch (const Declined& declined) {
    one.declined(declined.why);
  } catch (const NoTensorClaimed& unclaimed) {
    return {CaseEnd::no_tensor, {}, std::string{unclaimed.what}};
  } catch (const NotClaimed& unclaimed) {
    return {CaseEnd::unclaimed, {}, std::string{unclaimed.what}};
  } catch (const NotFormable&) {
    return {CaseEnd::not_formable};
  } catch (NotJudged& limit) {
    return {CaseEnd::not_judged, {}, std::move(limit.limit)};
  } catch (Inconclusive& inconclusive) {
    return {CaseEnd::inconclusive, {}, std::move(inconclusive.reason)};
  } catch (const DefectOfCheck& defect) {
    return {CaseEnd::inconclusive, {}, fmt::format("a defect of the check: {}", defect.what())};
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& error) {
    return {CaseEnd::failed,
            {fmt::format("an exception ended the check: {}", error.what()), {}, {}}};
  } catch (...) {
    return {CaseEnd::failed, {"an exception of an unknown type ended the check", {}, {}}};
  }
  if (one.was_touched() && !plan.check.says_touched)
    return {CaseEnd::inconclusive,
            {},
            "a defect of the check: it marks cases as met but does not set says_touched"};
  if (!one.was_touched() && !one.why_declined().empty())
    return {CaseEnd::declined, {}, std::string{one.why_declined()}};
  return {.met = one.was_touched() || !plan.check.says_touched};
}

CaseOutcome outcome_of_body(const CasePlan& plan, Case& one) {
  CaseOutcome outcome = end_of_body(plan, one);
  if (outcome.end == CaseEnd::failed || !one.minor_failure()) return outcome;
  try {
    std::rethrow_exception(one.minor_failure());
  } catch (Failure& failure) {
    return {.end = CaseEnd::failed, .failure = std::move(failure), .minor = true};
  }
}

// Loads what the case unloaded. That this cannot be done here, for a runtime that came in with
// it, say, is no verdict on the library.
void load_again(const CasePlan& plan, CaseOutcome& outcome) {
  try {
    plan.binding.reload_subject();
  } catch (const std::exception& error) {
    if (outcome.end == CaseEnd::passed)
      outcome = {CaseEnd::not_judged,
                 {},
                 fmt::format("the library cannot be loaded again: {}", error.what())};
  }
}

}  // namespace

CaseOutcome run_body(const CasePlan& plan, Draw& draw, std::vector<std::string_view>* observed) {
  Case one{draw, plan.binding, plan.row()};
  const ShownInCase shown{plan.check.role, one.subject()};
  const InputOfCase input{plan.without, plan.inputs};
  const FormsAreCompared compared;
  take_limits();
  const std::uint64_t kernels = opaque_launches();
  CaseOutcome outcome = outcome_of_body(plan, one);
  if (input.has_excluded()) outcome = {.end = CaseEnd::discarded, .excluded = true};
  outcome.inputs = input.properties();
  if (outcome.of_bytes && opaque_launches() != kernels)
    outcome = {CaseEnd::not_judged, {}, std::string{unknown_bytes}};
  // What a library makes of an answer that only dlcert would give says nothing of the library.
  if (std::vector<std::string> limits = take_limits();
      outcome.end == CaseEnd::failed && !limits.empty())
    outcome = {CaseEnd::not_judged, {}, std::move(limits.front())};
  if (one.unloaded()) load_again(plan, outcome);
  observed->assign(one.observations().begin(), one.observations().end());
  outcome.dtype = one.dtype();
  outcome.layout = one.layout();
  outcome.refusal = one.refusal();
  outcome.wrong_values = shown.wrong_values();
  outcome.evidence = {shown.has(Shown::made), shown.has(Shown::handed_over),
                      shown.has(Shown::found), shown.has(Shown::by_export), shown.devices()};
  return outcome;
}

CaseOutcome run_case(const CasePlan& plan, Draw& draw, Observations* observations) {
  count_work(Work::cases_run);
  if (plan.check.isolation == Isolation::process_per_case)
    return run_case_in_new_process(plan, draw, observations);
  std::vector<std::string_view> observed;
  CaseOutcome outcome = run_body(plan, draw, &observed);
  if (observations != nullptr) observations->count(observed);
  return outcome;
}

CaseOutcome draw_case(const CasePlan& plan, std::optional<Draw>& draw, Observations* observations,
                      ChoiceLog* log) {
  CaseOutcome outcome;
  for (std::uint64_t redraw = 0; redraw <= plan.max_redraws(); ++redraw) {
    draw.emplace(plan.seed(redraw), plan.size());
    if (log != nullptr) {
      log->count.store(0, std::memory_order_relaxed);
      draw->log_to(*log);
    }
    count_work(Work::cases_drawn);
    outcome = run_case(plan, *draw, observations);
    const bool idle = outcome.end == CaseEnd::passed && !outcome.met && plan.check.rows == 0;
    if (outcome.end != CaseEnd::discarded && !idle) break;
  }
  return outcome;
}

void TraceCollector::event(std::string_view text, std::string_view statement) {
  const std::lock_guard lock{mutex_};
  // A line each: the tab and the new line that it ends with are not the library's to write.
  const TraceEvent& told = events_.emplace_back(
      one_line(text),
      statement.size() > longest_text ? too_long : one_line(statement, longest_text));
  if (onward_) onward_(to_line(told));
}

std::size_t TraceCollector::told() const {
  const std::lock_guard lock{mutex_};
  return events_.size();
}

void TraceCollector::withdraw_behind(std::size_t told) {
  const std::lock_guard lock{mutex_};
  if (told >= events_.size()) return;
  events_.resize(told);
  if (onward_) onward_(withdrawal_line(told));
}

void TraceCollector::keep(const std::vector<TraceEvent>& events) {
  const std::lock_guard lock{mutex_};
  events_.insert(events_.end(), events.begin(), events.end());
}

namespace {

// A program in Python calls libraries there and the harness alone.
bool is_of_python(const Binding& binding) {
  for (const Party* const party : {&binding.producer, &binding.consumer})
    if (group_of(party->table(), &dlcert_adapter::python) == nullptr && party->label() != own_name)
      return false;
  return true;
}

}  // namespace

void start_trace(TraceCollector& collector, const Binding& binding) {
  // The imports of a second library in Python come where it is called first.
  const bool by_producer = group_of(binding.producer.table(), &dlcert_adapter::python) != nullptr;
  const Party& subject =
      binding.role == Role::consumer && !by_producer ? binding.consumer : binding.producer;
  const bool in_python =
      group_of(subject.table(), &dlcert_adapter::python) != nullptr && is_of_python(binding);
  collector.language_ = in_python ? Language::python : Language::c;
  set_trace(&collector);
  if (!in_python) return;
  const std::string imports = python::source(subject.table(), DLCERT_PYTHON_IMPORTS);
  if (imports.empty())
    collector.event({}, to_line({.kind = ProgramStep::Kind::missing,
                                 .code = "import the library: its adapter says not how"}));
  std::istringstream lines{imports};
  for (std::string line; std::getline(lines, line);)
    collector.event({}, to_line({.kind = ProgramStep::Kind::imports, .code = line}));
}

CaseOutcome describe_case(const CasePlan& plan, const Choices& choices, TraceCollector& collector) {
  Draw draw = Draw::replay(choices, plan.size());
  start_trace(collector, plan.binding);
  CaseOutcome outcome = run_case(plan, draw, nullptr);
  set_trace(nullptr);
  return outcome;
}

}  // namespace dlcert
