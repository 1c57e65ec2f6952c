// SPDX-License-Identifier: Apache-2.0
#include "worker/local.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cstdio>
#include <map>

#include "records/decide.hpp"
#include "register/profile.hpp"
#include "standalone/standalone.hpp"
#include "worker/devices.hpp"
#include "worker/parties.hpp"
#include "worker/unit.hpp"

namespace dlcert {

namespace {

class LocalRun {
 public:
  LocalRun(const LocalOptions& options, const Suite& suite)
      : options_{options}, suite_{suite}, parties_{options.adapters} {
    parties_.ask_claims(options.platform);
  }

  int run() {
    // First the checks whose cases are forked from a process that has called nothing.
    run_all([](Isolation isolation) { return isolation == Isolation::process_per_case; });
    run_all([](Isolation isolation) { return isolation != Isolation::process_per_case; });
    print_totals();
    if (totals_.empty()) return 2;
    return totals_.contains("fail") || totals_.contains("inconclusive") ? 1 : 0;
  }

 private:
  template <typename Wanted>
  void run_all(const Wanted& wanted) {
    for (std::size_t adapter = 0; adapter < options_.adapters.size(); ++adapter)
      for (std::uint32_t check = 0; check < suite_.checks().size(); ++check)
        if (wanted(suite_.checks()[check].isolation) && selected(suite_.checks()[check]))
          run_check(check, static_cast<int>(adapter));
  }

  bool selected(const Check& check) const {
    if (check.pair) return false;
    if (check.platform != Platform::any && check.platform != options_.platform) return false;
    return ::fnmatch(options_.check.c_str(), std::string{check.requirement}.c_str(), 0) == 0;
  }

  void run_check(std::uint32_t index, int adapter) {
    const Check& check = suite_.checks()[index];
    Unit unit;
    unit.check = index;
    (check.role == Role::consumer ? unit.consumer : unit.producer) = adapter;
    unit.cases = options_.cases;
    unit.only_case = options_.only_case;
    unit.choices = options_.choices;
    const Binding binding = parties_.bind(unit, check.role, options_.settings);
    const Party& subject = check.role == Role::consumer ? binding.consumer : binding.producer;
    unit.seed =
        unit_seed(options_.seed, {.requirement = check.requirement,
                                  .check = check.name,
                                  .role = check.role,
                                  .platform = check.platform,
                                  .parties = names_with_harness(check.role, subject.name())});
    Position position{};
    const UnitRecord record = run_unit(check, binding, unit, {.position = position});
    const Decision decision = decide_record(record, check.one_in);
    ++totals_[to_text(decision.verdict)];
    print(check, binding, record, decision, parties_.take_warnings(unit));
  }

  void print(const Check& check, const Binding& binding, const UnitRecord& record,
             const Decision& decision, const std::vector<std::string>& warnings) const {
    const Party& subject = check.role == Role::consumer ? binding.consumer : binding.producer;
    fmt::print("{:14} {} [{} {}] {}: {} of {} cases", to_text(decision.verdict), check.requirement,
               subject.name(), to_text(check.role), check.sentence, record.met, record.requested);
    for (const auto& [count, how] : {std::pair{record.cases - record.met, "idle"},
                                     {record.declined, "declined"},
                                     {record.not_judged, "not judged"},
                                     {record.unclaimed, "unclaimed"},
                                     {record.not_formable, "not formable"},
                                     {record.discarded, "discarded"}})
      if (count != 0) fmt::print(", {} {}", count, how);
    if (record.cases != 0 && record.nanoseconds != 0)
      fmt::print(", {:.0f} cases/s",
                 static_cast<double>(record.cases) * 1e9 / static_cast<double>(record.nanoseconds));
    fmt::print("\n");
    if (!record.why_declined.empty()) fmt::print("    declined: {}\n", record.why_declined);
    if (!decision.reason.empty()) fmt::print("    {}\n", decision.reason);
    for (const auto& [what, count] : record.observations)
      fmt::print("    {} x {}\n", count, what);
    for (const std::string& warning : warnings)
      fmt::print("    warning {}\n", warning);
    if (decision.verdict == Verdict::fail) print_failure(check, subject, record);
    std::fflush(stdout);
  }

  void print_failure(const Check& check, const Party& subject, const UnitRecord& record) const {
    fmt::print("    {}\n", record.message);
    if (!record.counterexample) return;
    const Counterexample& example = *record.counterexample;
    // Without choices each question is answered with its simplest value, as 0 asks for.
    const Choices choices = example.choices.empty() ? Choices{0} : example.choices;
    fmt::print("    case {}, shrunk in {} steps; --case {} --choices {}\n", example.case_index,
               example.steps, example.case_index, fmt::join(choices, ","));
    for (const std::string& line : example.trace)
      fmt::print("      {}\n", line);
    if (!options_.program) return;
    const bool ends_process = false;  // who runs checks here does not outlive that
    if (const std::string why = why_not_in_c(example.program, ends_process); !why.empty()) {
      fmt::print("    no program: {}\n", why);
      return;
    }
    StandaloneProgram program;
    program.requirement = check.requirement;
    program.sentence = check.sentence;
    program.library = subject.name();
    program.message = record.message;
    program.steps = example.program;
    program.adapter = options_.adapters.front().path;
    fmt::print("{}{}", standalone_header(), to_source(program));
  }

  void print_totals() const {
    for (const auto& [verdict, count] : totals_)
      fmt::print("{} {}  ", count, verdict);
    fmt::print("{}\n", totals_.empty() ? "no check was selected" : "");
  }

  const LocalOptions& options_;
  const Suite& suite_;
  Parties parties_;
  std::map<std::string_view, int> totals_;  // by the texts of verdicts
};

}  // namespace

int run_local(const LocalOptions& options, const Suite& suite) {
  start_devices(options.settings.driver, options.platform);
  return LocalRun{options, suite}.run();
}

}  // namespace dlcert
