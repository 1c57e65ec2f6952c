// SPDX-License-Identifier: Apache-2.0
#include "report/waivers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/run_verdict.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

using namespace std::chrono_literals;

constexpr Date now = 2026y / std::chrono::November / 21;

std::string waiver_text(std::string_view more = "", std::string_view message = "expected 2") {
  return fmt::format(R"([[waiver]]
requirement = "kept.beta"
implementation = "acme"
versions = ">=2.0, <3"
message = "{}"
reason = "known"
owner = "somebody"
expires = 2027-06-30
{}
)",
                     message, more);
}

std::vector<Waiver> parse(const std::string& text) {
  return parse_waivers(text, "w.toml", sample::sample_register());
}

std::string waiver_error(const std::string& text) {
  try {
    parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

Results failing(const std::string& message = "sum: expected 2 but found 3") {
  return sample::with(sample::result("kept.beta", Level::must, Verdict::fail, message));
}

Results waived_by(Results results, const std::string& text) {
  apply_waivers(results, parse(text), now);
  return results;
}

// ---- what a file may say ------------------------------------------------------------------------

TEST(WaiverFile, IsRead) {
  const Waiver waiver =
      parse(waiver_text("link = \"https://example.org\"\nrole = \"consumer\"")).at(0);
  EXPECT_EQ(waiver.place, "w.toml:1");
  EXPECT_EQ(waiver.requirement, "kept.beta");
  EXPECT_EQ(waiver.versions.text(), ">=2.0, <3");
  EXPECT_EQ(waiver.role, Role::consumer);
  EXPECT_EQ(waiver.link, "https://example.org");
  EXPECT_EQ(date_text(waiver.expires), "2027-06-30");
  EXPECT_TRUE(parse("").empty());
}

TEST(WaiverFile, NamesThePlaceOfAnError) {
  const std::string good = waiver_text();
  EXPECT_EQ(waiver_error(replaced(good, "kept.beta", "kept.bete")),
            "w.toml:2:15: unknown requirement 'kept.bete', did you mean 'kept.beta'?");
  EXPECT_EQ(waiver_error(replaced(good, "reason", "reasn")),
            "w.toml:6:1: unknown key 'reasn', did you mean 'reason'?");
  EXPECT_EQ(waiver_error(replaced(good, "\"known\"", "\"\"")),
            "w.toml:6:10: reason: expected a text that is not empty");
  EXPECT_EQ(waiver_error(replaced(good, "2027-06-30", "\"2027-06-30\"")),
            "w.toml:8:11: expires: expected a date such as 2027-01-31, without quotes");
  EXPECT_EQ(waiver_error(replaced(good, ">=2.0, <3", "about 2")),
            "w.toml:4:12: versions: expected a version range such as '>=2.0, <2.4' but found "
            "'about 2'");
  EXPECT_EQ(waiver_error(replaced(good, "owner = \"somebody\"\n", "")),
            "w.toml:1:1: expected a key 'owner' but found none");
  EXPECT_EQ(waiver_error(replaced(good, "\">=2.0, <3\"", "\"\"\"a\nb\"\"\"")),
            "w.toml:4:12: versions: expected a version range such as '>=2.0, <2.4' but found "
            "'a\\nb'");
  EXPECT_EQ(waiver_error(waiver_text("role = \"maker\"")),
            "w.toml:9:8: role: expected producer, consumer or runtime but found 'maker'");
  EXPECT_EQ(waiver_error("waivers = 1"),
            "w.toml:1:1: expected only [[waiver]] but found 'waivers'");
  EXPECT_EQ(waiver_error("[waiver]\n"), "w.toml:1:1: expected [[waiver]]");
  EXPECT_EQ(waiver_error("[[waiver]]\nrequirement = \n").substr(0, 11), "w.toml:2:15");
}

TEST(WaiverFile, AwaitsAReasonAndAnOwner) {
  const auto error = [](const std::string& key, const std::string& value) {
    const std::string text = waiver_text();
    const std::string given = key == "owner" ? "somebody" : "known";
    return waiver_error(replaced(text, given, value));
  };
  EXPECT_EQ(error("owner", "nobody yet"),
            "w.toml:7:9: owner: 'nobody yet' is a placeholder: fill in who is responsible for the "
            "waiver");
  EXPECT_EQ(
      error("reason", "found on 2026-11-21, not yet examined"),
      "w.toml:6:10: reason: 'found on 2026-11-21, not yet examined' is a placeholder: fill in "
      "why the failure is accepted");
  for (const char* const key : {"owner", "reason"})
    for (const char* const value : {"TODO", "tbd", "FixMe", "x", "?", "...", " ", "-", "N/A",
                                    "owner", "Nobody", "unknown", "none"})
      EXPECT_NE(error(key, value).find("is a placeholder"), std::string::npos) << value;
  for (const char* const value : {"ML", "acme-interop", "王", "team@example.org"})
    EXPECT_EQ(error("owner", value), "no error") << value;
}

TEST(WaiverFile, IsCleanedAndOneLineInEveryError) {
  const Waiver waiver =
      parse(replaced(waiver_text(), "known", "known\\ncertified: acme 2.1")).at(0);
  EXPECT_EQ(waiver.reason, "known\\ncertified: acme 2.1");
  try {
    parse_waivers("[[waiver", "a\nb\x1b[2J", sample::sample_register());
    ADD_FAILURE() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string_view{error.what()}.starts_with("a\\nb\\x1b[2J:1:")) << error.what();
  }
}

TEST(WaiverFile, OfAnySizeIsReadOrRefusedAtOnce) {
  std::string deep = "a";
  for (int i = 0; i < 50'000; ++i)
    deep += ".a";
  const std::string too_deep = "expected a key of at most 64 parts but found one of 50001";
  EXPECT_EQ(waiver_error(deep + " = 1"), "w.toml:1:1: " + too_deep);
  EXPECT_EQ(waiver_error("\n[" + deep + "]"), "w.toml:2:2: " + too_deep);
  EXPECT_EQ(waiver_error("[[" + deep + "]]"), "w.toml:1:3: " + too_deep);
  EXPECT_EQ(waiver_error("x = {" + deep + " = 1}"), "w.toml:1:6: " + too_deep);
  EXPECT_EQ(waiver_error("x = \"\"\"\n'\"\"\"\n" + deep + " = 1"), "w.toml:3:1: " + too_deep);
  EXPECT_EQ(waiver_error(std::string(50'000, '[')).substr(0, 7), "w.toml:");
  const std::string long_id(4'000'000, 'k');  // as long as a file may be
  EXPECT_LT(waiver_error(replaced(waiver_text(), "kept.beta", long_id)).size(), 3'000u);
  EXPECT_LT(waiver_error(replaced(waiver_text(), "reason", long_id)).size(), 3'000u);
}

TEST(WaiverFile, MayHoldDotsInItsTexts) {
  std::string dots;
  for (int i = 0; i < 1'000; ++i)
    dots += "1.0, ";
  EXPECT_EQ(waiver_error(waiver_text("link = '" + dots + "\" # '\n# " + dots, dots)), "no error");
  EXPECT_EQ(
      waiver_error(replaced(waiver_text(), "\"known\"", "\"\"\"\nknown \\\" " + dots + "\"\"\"")),
      "no error");
}

// ---- what a waiver does -------------------------------------------------------------------------

TEST(Waiver, AcceptsTheFailureThatItNames) {
  const Results results = waived_by(failing(), waiver_text());
  EXPECT_EQ(results.results.at(1).verdict, Verdict::waived);
  EXPECT_EQ(results.results.at(1).waiver, "w.toml:1");
  EXPECT_EQ(results.results.at(1).reason, "known (somebody, until 2027-06-30)");
  EXPECT_TRUE(results.waiver_problems.empty());
  EXPECT_EQ(judge(results).exit_code, 0);
}

TEST(Waiver, MatchesAPartOfTheMessageOrAGlobOverAllOfIt) {
  const auto verdict = [](const std::string& message) {
    return waived_by(failing(), waiver_text("", message)).results.at(1).verdict;
  };
  EXPECT_EQ(verdict("sum: expected * but found *"), Verdict::waived);
  EXPECT_EQ(verdict("expected *"), Verdict::fail);
  EXPECT_EQ(verdict("expected 4"), Verdict::fail);
}

TEST(Waiver, ThatExpectsAnotherMessageFailsTheRun) {
  const Results results = waived_by(failing(), waiver_text("", "expected 4"));
  EXPECT_EQ(results.results.at(1).verdict, Verdict::fail);
  EXPECT_EQ(judge(results).exit_code, 4);
  EXPECT_EQ(results.waiver_problems.at(0).text,
            "w.toml:1: kept.beta: expected the message 'expected 4' but found 'sum: expected 2 but "
            "found 3': fix the failure or edit 'message'");
}

TEST(Waiver, OfOneFailureDoesNotAcceptAnother) {
  Results results = failing();
  results.results.at(1).checks.push_back(sample::check(Verdict::fail, "leaked"));
  const Results judged = waived_by(results, waiver_text());
  EXPECT_EQ(judged.results.at(1).verdict, Verdict::fail);
  EXPECT_EQ(judge(judged).exit_code, 1);
  const Results both = waived_by(results, waiver_text() + waiver_text("", "leaked"));
  EXPECT_EQ(both.results.at(1).verdict, Verdict::waived);
  EXPECT_TRUE(both.waiver_problems.empty());
}

TEST(Waiver, OfAPassIsUnexpected) {
  Results results = sample::with(sample::result("kept.beta", Level::must, Verdict::pass, ""));
  results = waived_by(results, waiver_text());
  EXPECT_EQ(results.results.at(1).verdict, Verdict::unexpected_pass);
  EXPECT_EQ(judge(results).exit_code, 4);
  EXPECT_EQ(results.waiver_problems.at(0).text,
            "w.toml:1: kept.beta: the requirement passes with acme: remove this waiver");
}

TEST(Waiver, ThatHasExpiredFailsTheRun) {
  const Results results = waived_by(failing(), replaced(waiver_text(), "2027-06-30", "2026-11-20"));
  EXPECT_EQ(results.results.at(1).verdict, Verdict::waived);
  EXPECT_EQ(judge(results).exit_code, 4);
  EXPECT_EQ(results.waiver_problems.at(0).text,
            "w.toml:1: kept.beta: expired on 2026-11-20: fix the failure or edit 'expires'");
}

TEST(Waiver, HoldsOnItsLastDayAndWarnsThirtyDaysBefore) {
  const auto warnings = [](const std::string& expires) {
    const Results results = waived_by(failing(), replaced(waiver_text(), "2027-06-30", expires));
    EXPECT_EQ(judge(results).exit_code, 0);
    return results.waiver_warnings.size();
  };
  EXPECT_EQ(warnings("2026-11-21"), 1u);
  EXPECT_EQ(warnings("2026-12-21"), 1u);
  EXPECT_EQ(warnings("2026-12-22"), 0u);
}

std::vector<WaiverNote> warnings_of(const std::string& text, Results results = failing()) {
  results = waived_by(std::move(results), text);
  EXPECT_EQ(results.results.at(1).verdict, Verdict::waived);
  return results.waiver_warnings;
}

TEST(Waiver, OfMoreThanTwoYearsWarns) {
  const auto at = [](const char* expires) {
    return warnings_of(replaced(waiver_text(), "2027-06-30", expires));
  };
  EXPECT_EQ(at("9999-12-31").at(0).text,
            "w.toml:1: kept.beta: expires on 9999-12-31, in more than two years");
  EXPECT_EQ(at("2028-11-25").size(), 1u);
  EXPECT_EQ(at("2028-11-20").size(), 0u);
}

TEST(Waiver, ThatAcceptsAnyMessageWarns) {
  const auto message = [](const char* text) { return warnings_of(waiver_text("", text)); };
  EXPECT_EQ(message("*").at(0).text,
            "w.toml:1: kept.beta: the message '*' accepts nearly any failure");
  const auto accepts_any = [](const char* text) {
    return accepts_any_message(parse(waiver_text("", text)).at(0));
  };
  for (const char* const text : {"?*", "*m*", " ", ":", "m", "expected", "expected * but found *",
                                 "but found", "*expected*", "*: expected*found*"})
    EXPECT_TRUE(accepts_any(text)) << text;
  for (const char* const text : {"expected 2", "ended by SIG*", "0", "数组", "sum"})
    EXPECT_FALSE(accepts_any(text)) << text;
  EXPECT_TRUE(message("sum: expected * but found *").empty());
  EXPECT_TRUE(message("expected 2").empty());
}

TEST(Waiver, OfACheckThatRanNoCaseAcceptsNothing) {
  RequirementResult result =
      sample::result("kept.beta", Level::must, Verdict::inconclusive, "no case ran");
  result.checks.at(0).record.cases = result.checks.at(0).record.requested = 0;
  Results results = waived_by(sample::with(result), waiver_text("", "no case"));
  EXPECT_EQ(results.results.at(1).verdict, Verdict::inconclusive);
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(write_waivers(results, {}, now), "");
}

TEST(Waiver, OfARuleThatDidNotRunAcceptsNothing) {
  for (const Verdict verdict : {Verdict::not_run, Verdict::not_applicable}) {
    RequirementResult result = sample::result("kept.beta", Level::must, verdict, "expected 2");
    result.checks.push_back(sample::check(verdict, "expected 2"));
    const Results results = waived_by(sample::with(result), waiver_text());
    EXPECT_EQ(results.results.at(1).verdict, verdict);
    EXPECT_NE(judge(results).exit_code, 0);
  }
}

TEST(Waiver, OfEveryMustLeavesNothingToCertify) {
  Results results = sample::passing();
  results.results = {
      sample::result("kept.beta", Level::must, Verdict::fail, "sum: expected 2 but found 3")};
  results = waived_by(results, waiver_text());
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_TRUE(judge(results).reasons.at(0).starts_with("no evidence of acme as consumer: "));
}

TEST(Waiver, ThatMatchesNothingFailsTheRun) {
  const auto problem = [](const std::string& text) {
    const Results results = waived_by(failing(), text);
    EXPECT_EQ(results.results.at(1).verdict, Verdict::fail);
    return results.waiver_problems.at(0).text;
  };
  EXPECT_EQ(problem(replaced(waiver_text(), "acme", "apex")),
            "w.toml:1: kept.beta: matches nothing (it names 'apex', but the adapters are: acme): "
            "remove or edit this waiver");
  EXPECT_EQ(
      problem(replaced(waiver_text(), ">=2.0, <3", "1.9")),
      "w.toml:1: kept.beta: matches nothing (it names versions '1.9', but acme is 2.1): remove "
      "or edit this waiver");
  EXPECT_EQ(
      problem(replaced(waiver_text(), "kept.beta", "kept.gamma")),
      "w.toml:1: kept.gamma: matches nothing (this run judged no such requirement): remove or "
      "edit this waiver");
}

TEST(Waiver, OfWhatASelectionLeftOutIsNoProblem) {
  Results results = sample::passing();
  results.filtered = true;
  EXPECT_TRUE(waived_by(results, waiver_text()).waiver_problems.empty());
}

// ---- writing ------------------------------------------------------------------------------------

std::string filled_in(std::string text) {
  for (const std::string_view placeholder : {unowned, unexamined})
    for (std::size_t at = text.find(placeholder); at != text.npos; at = text.find(placeholder))
      text.replace(at, placeholder.size(), "by the acme team");
  return text;
}

TEST(WrittenWaivers, AwaitAReasonAndAnOwner) {
  const std::string text = write_waivers(failing(), {}, now);
  EXPECT_EQ(waiver_error(text).substr(0, 25), "w.toml:7:10: reason: 'fou");
  EXPECT_EQ(waiver_error(filled_in(text)), "no error");
}

TEST(WrittenWaivers, AcceptWhatFailed) {
  const Results results = failing("pointer: expected 0x7f00 but found \"0x7f10\"");
  const std::string text = filled_in(write_waivers(results, {}, now));
  const Results judged = waived_by(results, text);
  EXPECT_EQ(judge(judged).exit_code, 0) << text;
  EXPECT_EQ(parse(text).at(0).message, "pointer: expected * but found \"*\"");
  EXPECT_EQ(date_text(parse(text).at(0).expires), "2027-02-19");
}

TEST(WrittenWaivers, KeepWhatHoldsAndDropWhatDoesNot) {
  const std::string text = waiver_text() + replaced(waiver_text(), "kept.beta", "kept.gamma");
  const std::vector<Waiver> waivers = parse(text);
  Results results = failing();
  apply_waivers(results, waivers, now);
  const std::vector<Waiver> rewritten = parse(write_waivers(results, waivers, now));
  ASSERT_EQ(rewritten.size(), 1u);
  EXPECT_EQ(rewritten.at(0).reason, "known");
}

}  // namespace
}  // namespace dlcert
