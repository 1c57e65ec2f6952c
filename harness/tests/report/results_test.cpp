// SPDX-License-Identifier: Apache-2.0
#include "report/results.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

std::string results_error(std::string_view text) {
  try {
    results_from_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

Results full() {
  RequirementResult failed =
      sample::result("kept.beta", Level::should, Verdict::fail, "sum: expected 2 but found 3");
  CheckResult& check = failed.checks.front();
  check.after = "after kept.alpha";
  check.output = "[  PASSED  ]\n\xff";
  check.record.expected = "2";
  check.record.found = "3";
  check.record.observations = {{"refused", 7}};
  check.record.warnings = {"beware"};
  check.record.counterexample =
      Counterexample{{1, UINT64_MAX}, 17, 9, 3, {"t1 = create()"}, {"x;"}, {"return MUST(1);"}};
  Results results = sample::with(failed);
  results.results.push_back(
      sample::result("kept.delta", Level::may, Verdict::not_applicable, "hardware-only"));
  results.waiver_problems = {{"kept.beta", "w.toml:1: expired"}};
  results.waiver_warnings = {{"kept.alpha", "w.toml:9: expires"}};
  results.invoker = "12@34";
  results.adapter_fault = FaultOfAdapter{"adapter 'acme': a fault of the adapter", "Traceback\n"};
  results.work = {{"cases_drawn", 1000}, {"forks", 7}};
  results.exit_code = 4;
  results.repeat = 3;
  results.strict = results.filtered = true;
  results.rules = "0.1";
  results.policy_set = "interop";
  results.chosen = {"taste"};
  results.results.back().binding = true;
  results.results.back().grace = "new in dlcert 0.1";
  return results;
}

TEST(ResultsDocument, IsTheSameAfterReadingAndWriting) {
  const std::string written = to_json(full());
  EXPECT_EQ(to_json(results_from_json(written)), written);
}

TEST(ResultsDocument, KeepsWhatARunFound) {
  const Results read = results_from_json(to_json(full()));
  EXPECT_EQ(read.exit_code, 4);
  EXPECT_EQ(read.work, full().work);
  EXPECT_EQ(read.adapters.at(0).properties, DLCERT_FAITHFUL_ERRORS | DLCERT_KNOWS_READ_ONLY);
  EXPECT_EQ(read.adapters.at(0).groups.at("tensor").at(1), "read");
  EXPECT_EQ(read.adapters.at(0).claims.value().at("producer").at(1), "float");
  const CheckResult& check = read.results.at(1).checks.at(0);
  EXPECT_EQ(check.seed, 18'000'000'000'000'000'000u);
  EXPECT_EQ(check.verdict, Verdict::fail);
  EXPECT_EQ(check.record.counterexample->choices.at(1), UINT64_MAX);
  EXPECT_EQ(check.output, "[  PASSED  ]\n\\xff") << "what is no UTF-8 is escaped";
}

TEST(ResultsDocument, OfVersion1IsReadAndEachOfItsCasesHadMetTheRule) {
  nlohmann::json document = nlohmann::json::parse(to_json(full()));
  document["schema_version"] = 1;
  for (nlohmann::json& result : document["results"])
    for (nlohmann::json& check : result["checks"])
      for (const char* member : {"one_in", "met", "declined", "not_judged", "limits", "evidence"})
        check.erase(member);
  const Results read = results_from_json(document.dump());
  const UnitRecord& record = read.results.at(0).checks.at(0).record;
  EXPECT_GT(record.cases, 0u);
  EXPECT_EQ(record.met, record.cases);
  EXPECT_EQ(read.results.at(0).checks.at(0).one_in, usual_share);
}

TEST(ResultsDocument, KeepsWhatTheUserChose) {
  const Results read = results_from_json(to_json(full()));
  EXPECT_EQ(read.policy_set, "interop");
  EXPECT_TRUE(read.chosen.contains("taste"));
  EXPECT_FALSE(read.results.at(1).binding);
  EXPECT_TRUE(read.results.at(2).binding) << "a MAY";
  EXPECT_EQ(read.rules, "0.1");
  EXPECT_EQ(read.results.at(2).grace, "new in dlcert 0.1");
}

TEST(ResultsDocument, WithoutRulesIsJudgedByThoseOfItsDlcert) {
  const Results read = results_from_json(to_json(sample::passing()));
  EXPECT_EQ(to_json(sample::passing()).find("\"rules\""), std::string::npos);
  EXPECT_EQ(read.rules, "");
}

// The document without the members of this name.
std::string without(std::string text, std::string_view name) {
  const std::string member = "\"" + std::string{name} + "\": ";
  for (std::size_t at = text.find(member); at != std::string::npos; at = text.find(member)) {
    const std::size_t value = at + member.size();
    const std::size_t end = text[value] == '[' ? text.find(']', value) + 1 : text.find(',', value);
    text.erase(at, text.find('"', end) - at);
  }
  return text;
}

TEST(ResultsDocument, OfEarlierProgramsBindsByLevel) {
  std::string earlier = to_json(full());
  for (const char* const name : {"policy_set", "chosen", "binding"})
    earlier = without(earlier, name);
  const Results read = results_from_json(earlier);
  EXPECT_EQ(read.policy_set, "standard");
  EXPECT_TRUE(read.chosen.empty());
  EXPECT_TRUE(read.results.at(0).binding) << "a MUST";
  EXPECT_TRUE(read.results.at(1).binding) << "a SHOULD, strict";
  EXPECT_FALSE(read.results.at(2).binding) << "a MAY";
}

TEST(ResultsDocument, HasNoExitCodeBeforeItIsComplete) {
  Results results = sample::passing();
  results.complete = false;
  const std::string written = to_json(results);
  EXPECT_EQ(written.find("exit_code"), std::string::npos);
  EXPECT_FALSE(results_from_json(written).complete);
}

TEST(ResultsDocument, NamesThePlaceOfAnError) {
  const auto spoiled = [](const std::string& from, const std::string& to) {
    std::string text = to_json(full());
    return results_error(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(results_error("{"), "line 1, column 2: not JSON");
  EXPECT_EQ(results_error("{}"), "expected a member \"schema_version\" but found none");
  EXPECT_EQ(spoiled("\"schema_version\": 3", "\"schema_version\": 4"),
            "schema_version: expected 1 to 3 but found another version");
  EXPECT_EQ(spoiled("\"interop\"", "\"lax\""),
            "policy_set: expected standard, interop, strict but found 'lax'");
  EXPECT_EQ(spoiled("\"chosen\": [\n  \"taste\"", "\"chosen\": [\n  \"touch\""),
            "chosen: expected policies of the settings but found 'touch'");
  EXPECT_EQ(spoiled("\"rules\": \"0.1\"", "\"rules\": \"90.7\""),
            "rules: expected 0.1 but found '90.7'");
  EXPECT_EQ(spoiled("\"complete\": true", "\"complete\": 1"),
            "complete: expected true or false but found 1");
  EXPECT_EQ(spoiled("\"repeat\": 3", "\"repeat\": -3"),
            "repeat: expected a valid integer of at least 0 but found -3");
  EXPECT_EQ(spoiled("\"knows read-only\"", "\"knows best\""),
            "adapters[0].properties[1]: expected a property but found 'knows best'");
  EXPECT_EQ(spoiled("2026-11-21T00:00:00Z", "yesterday"),
            "started: expected a time such as 2026-11-21T09:30:00Z but found yesterday");
  EXPECT_EQ(spoiled("\"SHOULD\"", "\"OUGHT\""),
            "results[1].level: expected a level (MUST, SHOULD, MAY) but found 'OUGHT'");
  EXPECT_EQ(spoiled("\"case\": 17", "\"case\": 1.5"),
            "results[1].checks[0].counterexample.case: expected a valid integer of at least 0 "
            "but found 1.5");
}

}  // namespace
}  // namespace dlcert
