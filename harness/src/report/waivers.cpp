// SPDX-License-Identifier: Apache-2.0
#include "report/waivers.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "records/decide.hpp"
#include "register/ascii.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"
#include "register/text.hpp"

namespace dlcert {
namespace {

// The adapter that a result judges; the other party is the harness's own.
const AdapterInfo* tested_adapter(const Results& results, const RequirementResult& result) {
  const auto found = std::ranges::find(results.adapters, tested_party(result), &AdapterInfo::name);
  return found == results.adapters.end() ? nullptr : &*found;
}

// The waiver that covers each failing check.
using Cover = std::map<const CheckResult*, const Waiver*>;

std::string reason_text(const Waiver& waiver) {
  return fmt::format("{} ({}, until {})", waiver.reason, waiver.owner, date_text(waiver.expires));
}

bool accepts(const Waiver& waiver, const std::string& message) {
  return is_glob(waiver.message) ? matches_glob(waiver.message, message)
                                 : message.find(waiver.message) != std::string::npos;
}

// One waiver, applied to the results.
class Application {
 public:
  Application(Results& results, const Waiver& waiver) : results_{results}, waiver_{waiver} {
    for (RequirementResult& result : results.results)
      if (names(result)) named_.push_back(&result);
    if (!results.matrix || waiver.requirement != cannot_be_loaded_together) return;
    for (Clash& clash : results.matrix->clashes)
      if (is_of(clash, waiver.producer, waiver.consumer)) clash_ = &clash;
  }

  // Adds the failing checks that this waiver covers.
  void add_to(Cover& cover);
  // Says what is wrong with the waiver, once all have been added.
  void report(const Cover& cover, Date today);

 private:
  bool names(const RequirementResult& result) const;
  bool names_pair(const RequirementResult& result) const;
  bool is_of_version() const;
  void waive_clash();
  void problem(std::string_view what);
  void warn(std::string_view what);
  void report_expiry(Date today);
  void report_other_message(RequirementResult& failed, const Cover& cover);
  void report_pass();
  std::string why_unmatched() const;

  Results& results_;
  const Waiver& waiver_;
  std::vector<RequirementResult*> named_;
  Clash* clash_ = nullptr;  // of the two libraries that the waiver names
  bool covers_some_ = false;
};

bool Application::names(const RequirementResult& result) const {
  if (is_pair(result) || !waiver_.producer.empty()) return names_pair(result);
  const AdapterInfo* const adapter = tested_adapter(results_, result);
  return result.requirement == waiver_.requirement && adapter != nullptr &&
         adapter->name == waiver_.implementation && waiver_.versions.contains(adapter->version) &&
         waiver_.role.value_or(tested_role(result)) == tested_role(result);
}

bool Application::is_of_version() const {
  const auto found =
      std::ranges::find(results_.adapters, waiver_.implementation, &AdapterInfo::name);
  return found != results_.adapters.end() && waiver_.versions.contains(found->version);
}

bool Application::names_pair(const RequirementResult& result) const {
  return result.requirement == waiver_.requirement && result.producer == waiver_.producer &&
         result.consumer == waiver_.consumer && is_of_version();
}

// What was not run of the two is waived with it, in both directions.
void Application::waive_clash() {
  clash_->waiver = waiver_.place;
  clash_->reason = reason_text(waiver_);
  for (RequirementResult& result : results_.results) {
    if (result.verdict != Verdict::not_run || !is_of(*clash_, result.producer, result.consumer))
      continue;
    result.verdict = Verdict::waived;
    result.waiver = waiver_.place;
    result.reason = clash_->reason;
  }
}

void Application::add_to(Cover& cover) {
  if (clash_ != nullptr && is_of_version() && accepts(waiver_, clash_text(*clash_))) {
    waive_clash();
    covers_some_ = true;
  }
  for (const RequirementResult* const result : named_) {
    for (const CheckResult& check : result->checks) {
      if (!can_be_waived(check) || !covers(waiver_, check)) continue;
      cover.emplace(&check, &waiver_);
      covers_some_ = true;
    }
  }
}

void Application::problem(std::string_view what) {
  results_.waiver_problems.push_back(
      {waiver_.requirement,
       one_line(fmt::format("{}: {}: {}", waiver_.place, waiver_.requirement, what))});
}

void Application::warn(std::string_view what) {
  results_.waiver_warnings.push_back(
      {waiver_.requirement,
       one_line(fmt::format("{}: {}: {}", waiver_.place, waiver_.requirement, what))});
}

void Application::report(const Cover& cover, Date today) {
  const auto fails = [](const RequirementResult* r) {
    return std::ranges::any_of(r->checks, [](const CheckResult& c) { return can_be_waived(c); });
  };
  const auto passes = [](const RequirementResult* r) { return worst(r->checks) == Verdict::pass; };
  if (covers_some_) {
    report_expiry(today);
    if (accepts_any_message(waiver_))
      warn(fmt::format("the message '{}' accepts nearly any failure", waiver_.message));
  } else if (const auto failed = std::ranges::find_if(named_, fails); failed != named_.end()) {
    report_other_message(**failed, cover);
  } else if (clash_ != nullptr && is_of_version()) {
    problem(fmt::format("expected the message '{}' but found '{}': edit 'message'", waiver_.message,
                        clash_text(*clash_)));
  } else if (std::ranges::any_of(named_, passes)) {
    report_pass();
  } else if (!results_.filtered) {
    problem(fmt::format("matches nothing ({}): remove or edit this waiver", why_unmatched()));
  }
}

void Application::report_expiry(Date today) {
  const auto left = std::chrono::sys_days{waiver_.expires} - std::chrono::sys_days{today};
  const std::string date = date_text(waiver_.expires);
  if (left < std::chrono::days{0}) {
    problem(fmt::format("expired on {}: fix the failure or edit 'expires'", date));
  } else if (left <= waiver_warning_window) {
    warn(fmt::format("expires on {}", date));
  } else if (left > longest_waiver) {
    warn(fmt::format("expires on {}, in more than two years", date));
  }
}

void Application::report_other_message(RequirementResult& failed, const Cover& cover) {
  const auto other = std::ranges::find_if(failed.checks, [&](const CheckResult& check) {
    return can_be_waived(check) && !cover.contains(&check);
  });
  if (other == failed.checks.end()) {
    problem("other waivers already cover the failures: remove this waiver");
    return;
  }
  failed.waiver = waiver_.place;
  problem(fmt::format("expected the message '{}' but found '{}': fix the failure or edit 'message'",
                      waiver_.message, failure_text(*other)));
}

void Application::report_pass() {
  for (RequirementResult* const result : named_) {
    if (worst(result->checks) != Verdict::pass) continue;
    result->verdict =
        decide_requirement(true, judged_checks(result->checks), Waiving::failure_expected);
    result->waiver = waiver_.place;
  }
  problem(
      fmt::format("the requirement passes with {}: remove this waiver", waiver_.implementation));
}

std::string Application::why_unmatched() const {
  const auto adapter =
      std::ranges::find(results_.adapters, waiver_.implementation, &AdapterInfo::name);
  if (adapter == results_.adapters.end()) {
    std::vector<std::string> names;
    for (const AdapterInfo& info : results_.adapters)
      names.push_back(info.name);
    return fmt::format("it names '{}', but the adapters are: {}", waiver_.implementation,
                       join(names));
  }
  if (!waiver_.versions.contains(adapter->version))
    return fmt::format("it names versions '{}', but {} is {}", waiver_.versions.text(),
                       adapter->name, adapter->version);
  if (waiver_.requirement == cannot_be_loaded_together)
    return fmt::format("{} and {} can be loaded together", waiver_.producer, waiver_.consumer);
  if (named_.empty()) return "this run judged no such requirement";
  return fmt::format("the requirement was not judged: {}", named_.front()->reason);
}

// A result is waived when every check of it that failed is covered.
void waive(RequirementResult& result, const Cover& cover) {
  const Waiver* waiver = nullptr;
  for (const CheckResult& check : result.checks) {
    if (!can_be_waived(check.verdict)) continue;  // a pass, or not applicable
    const auto covered = cover.find(&check);
    if (covered == cover.end()) return;
    waiver = covered->second;
  }
  if (waiver == nullptr) return;
  result.verdict =
      decide_requirement(true, judged_checks(result.checks), Waiving::failures_accepted);
  result.waiver = waiver->place;
  result.reason = reason_text(*waiver);
}

}  // namespace

std::string date_text(Date date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

bool can_be_waived(const CheckResult& check) {
  return can_be_waived(check.verdict) &&
         !(check.verdict == Verdict::inconclusive && ran_no_case(check.record));
}

bool accepts_any_message(const Waiver& waiver) {
  std::string left = waiver.message;
  for (const std::string_view shared : {"expected", "but found", "found"})
    for (std::size_t at = left.find(shared); at != left.npos; at = left.find(shared))
      left.erase(at, shared.size());
  constexpr std::ptrdiff_t a_word = 3;
  const auto letters = std::ranges::count_if(
      left, [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; });
  return letters < a_word && std::ranges::none_of(left, is_digit);
}

bool covers(const Waiver& waiver, const CheckResult& check) {
  return accepts(waiver, failure_text(check));
}

void apply_waivers(Results& results, std::span<const Waiver> waivers, Date today) {
  std::vector<Application> applications;
  for (const Waiver& waiver : waivers)
    applications.emplace_back(results, waiver);
  Cover cover;
  for (Application& application : applications)
    application.add_to(cover);
  for (Application& application : applications)
    application.report(cover, today);
  for (RequirementResult& result : results.results)
    waive(result, cover);
}

}  // namespace dlcert
