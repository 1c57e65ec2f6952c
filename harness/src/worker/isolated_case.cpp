// SPDX-License-Identifier: Apache-2.0
#include "worker/isolated_case.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <dlcert/suite/forked.hpp>

#include "worker/case_message.hpp"

namespace dlcert {

namespace {

std::string run_here(const CasePlan& plan, Draw& draw) {
  const auto* const collector = dynamic_cast<TraceCollector*>(trace());
  const std::size_t told_before = collector == nullptr ? 0 : collector->told();
  std::vector<std::string_view> observed;
  CaseMessage message;
  message.outcome = run_body(plan, draw, &observed);
  message.observed.assign(observed.begin(), observed.end());
  if (message.outcome.end == CaseEnd::failed || collector != nullptr)
    message.choices = draw.choices();
  if (plan.binding.take_warnings) message.warnings = plan.binding.take_warnings();
  if (collector != nullptr) {
    const std::vector<TraceEvent>& told = collector->events();
    message.events.emplace(told.begin() + static_cast<std::ptrdiff_t>(told_before), told.end());
  }
  return to_json(message);
}

// Ends this process as the case's process ended: the runner sees only this one.
[[noreturn]] void end_alike(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

}  // namespace

CaseOutcome run_case_in_new_process(const CasePlan& plan, Draw& draw, Observations* observations) {
  const Forked forked = run_forked([&] { return run_here(plan, draw); });
  if (!forked.answered) {
    if (forked.wait_status) end_alike(*forked.wait_status);
    return {CaseEnd::inconclusive, {}, "dlcert does not know how the process of a case ended"};
  }
  CaseMessage message;
  try {
    message = case_message_from_json(forked.answer);
  } catch (const std::runtime_error& error) {
    return {
        CaseEnd::inconclusive,
        {},
        fmt::format("dlcert cannot read the message from the process of a case: {}", error.what())};
  }
  draw.catch_up(message.choices);
  if (observations != nullptr)
    observations->count(
        std::vector<std::string_view>{message.observed.begin(), message.observed.end()});
  if (plan.binding.keep_warnings) plan.binding.keep_warnings(message.warnings);
  if (auto* const collector = dynamic_cast<TraceCollector*>(trace());
      collector != nullptr && message.events)
    collector->keep(*message.events);
  return message.outcome;
}

}  // namespace dlcert
