// SPDX-License-Identifier: Apache-2.0
#include "worker/isolated_case.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include <dlcert/suite/forked.hpp>
#include <nlohmann/json.hpp>

namespace dlcert {

namespace {

using Json = nlohmann::json;

// Shortened until it fits: texts of a library may have any length.
std::string fitting(Json json) {
  constexpr std::size_t capacity = std::size_t{1} << 20;
  constexpr std::size_t longest_text = 8 * 1024;
  const auto dumped = [&] { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string text = dumped();
  if (text.size() <= capacity) return text;
  json.erase("events");
  json["recording"] = Json::array();
  for (const char* const member : {"message", "expected", "found", "reason"})
    json[member] = json[member].get<std::string>().substr(0, longest_text);
  for (Json& warning : json["warnings"])
    warning = warning.get<std::string>().substr(0, longest_text);
  return dumped();
}

std::string run_here(const CasePlan& plan, Draw& draw) {
  const auto* const collector = dynamic_cast<TraceCollector*>(trace());
  const std::size_t told_before = collector == nullptr ? 0 : collector->told();
  std::vector<std::string_view> observed;
  const CaseOutcome outcome = run_body(plan, draw, &observed);
  Json json{{"end", outcome.end},
            {"message", outcome.failure.message},
            {"expected", outcome.failure.expected},
            {"found", outcome.failure.found},
            {"recording", outcome.failure.recording},
            {"reason", outcome.reason},
            {"met", outcome.met},
            {"evidence",
             {outcome.evidence.made, outcome.evidence.handed_over, outcome.evidence.found,
              outcome.evidence.by_export}},
            {"observed", observed},
            {"choices", draw.choices()},
            {"warnings", plan.binding.take_warnings ? plan.binding.take_warnings()
                                                    : std::vector<std::string>{}}};
  if (collector != nullptr) {
    const std::vector<TraceEvent>& told = collector->events();
    json["events"] =
        std::vector(told.begin() + static_cast<std::ptrdiff_t>(told_before), told.end());
  }
  return fitting(std::move(json));
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
    return {CaseEnd::inconclusive, {}, "how the process of a case ended is not known"};
  }
  const Json json = Json::parse(forked.answer);
  draw.catch_up(json.at("choices").get<Choices>());
  if (observations != nullptr) {
    const auto observed = json.at("observed").get<std::vector<std::string>>();
    observations->count(std::vector<std::string_view>{observed.begin(), observed.end()});
  }
  if (plan.binding.keep_warnings)
    plan.binding.keep_warnings(json.at("warnings").get<std::vector<std::string>>());
  if (auto* const collector = dynamic_cast<TraceCollector*>(trace());
      collector != nullptr && json.contains("events"))
    collector->keep(json.at("events").get<std::vector<TraceEvent>>());
  CaseOutcome outcome;
  outcome.end = json.at("end").get<CaseEnd>();
  outcome.failure = {json.at("message"), json.at("expected"), json.at("found"),
                     json.at("recording").get<std::vector<std::string>>()};
  outcome.reason = json.at("reason");
  outcome.met = json.at("met");
  const auto evidence = json.at("evidence").get<std::array<bool, 4>>();
  outcome.evidence = {evidence[0], evidence[1], evidence[2], evidence[3]};
  return outcome;
}

}  // namespace dlcert
