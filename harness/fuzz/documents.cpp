// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "fuzz/require.hpp"
#include "fuzz/targets.hpp"
#include "register/register.hpp"
#include "report/counterexample.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/results.hpp"
#include "report/run_verdict.hpp"
#include "report/terminal.hpp"
#include "report/toml_depth.hpp"
#include "report/waivers.hpp"

namespace dlcert::fuzz {
namespace {

constexpr std::string_view some_policies =
    R"({"policies": [{"name": "p", "question": "", "default": "a", "values": {"a": ""}}]})";
constexpr std::string_view some_features =
    R"({"spec_kinds": {"k": ""}, "features": [{"id": "f", "title": "", "meaning": "", "roles": []}]})";
constexpr std::string_view some_area = R"({"area": "abi", "requirements": [
  {"id": "abi.strides.negative", "area": "abi", "feature": "f", "level": "MUST", "role": "both",
   "since": "DLPack 1.0", "until": "", "added": "0.1", "statement": "s", "source": "x", "how_to_test": "h",
   "ambiguity": "", "c_level": "yes", "policy": "p"},
  {"id": "abi.strides.null", "area": "abi", "feature": "f", "level": "SHOULD", "role": "producer",
   "since": "DLPack 0.6", "until": "DLPack 1.2", "added": "0.1",
   "tightened": [{"in": "0.2", "before": "MAY", "why": "w"}], "statement": "s", "source": "x",
   "how_to_test": "h", "ambiguity": "", "c_level": "yes", "policy": ""}]})";

// Two rules: with all, nearly all time goes into what no input changes.
const Register& known() {
  static const Register some =
      Register::parse(std::array{Register::Source{"area", some_area}}, {"policies", some_policies},
                      {"features", some_features});
  return some;
}

Results some_results() {
  Results results;
  AdapterInfo acme;
  acme.name = "acme";
  acme.version = "2.1";
  acme.consumer = true;
  results.adapters = {acme};
  for (const Requirement& requirement : known().requirements()) {
    RequirementResult& result = results.results.emplace_back();
    result.requirement = requirement.id;
    result.producer = own_name;
    result.consumer = acme.name;
    result.verdict = Verdict::fail;
    CheckResult& check = result.checks.emplace_back();
    check.verdict = result.verdict;
    check.record.message = "expected 1 but found 2";
  }
  return results;
}

}  // namespace

void read_waivers(std::string_view text) {
  static const Results untouched = some_results();
  constexpr Date day{std::chrono::year{2026}, std::chrono::month{11}, std::chrono::day{21}};
  std::vector<Waiver> waivers;
  if (!accepts([&] { waivers = parse_waivers(text, "w", known()); })) return;
  Results results = untouched;
  apply_waivers(results, waivers, day);
  std::string written = write_waivers(results, waivers, day);
  for (const std::string_view placeholder : {unowned, unexamined})  // as people fill them in
    for (std::size_t at = written.find(placeholder); at != written.npos;
         at = written.find(placeholder))
      written.replace(at, placeholder.size(), "the team");
  require(accepts([&] { parse_waivers(written, "w", known()); }),
          "waivers that cannot be read again");
}

void read_toml_keys(std::string_view text) {
  const DeepKey key = deepest_key(text);
  if (key.parts == 0) return;  // nothing but strings and comments
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  const auto dots = static_cast<std::size_t>(std::ranges::count(text, '.'));
  require(key.parts <= dots + 1, "a key of more parts than there are");
  require(key.line >= 1 && key.line <= lines, "a key in no line");
  require(key.column >= 1 && key.column <= text.size() + 1, "a key in no column");
}

void read_register(std::string_view text) {
  const std::array area{Register::Source{"area", text}};
  const Register::Source policies{"policies", some_policies};
  const Register::Source features{"features", some_features};
  const auto names = [text](std::string_view member) { return text.find(member) != text.npos; };
  accepts([&] { Register::parse(area, policies, features).nearest("abi.dtype"); });
  if (names("policies")) accepts([&] { Register::parse({}, {"policies", text}, features); });
  if (names("features")) accepts([&] { Register::parse({}, policies, {"features", text}); });
}

void read_results(std::string_view text) {
  Results results;
  if (!accepts([&] { results = results_from_json(text); })) return;
  const std::string written = to_json(results);
  require(to_json(results_from_json(written)) == written, "results that change when read again");
  const RunVerdict verdict = judge(results);
  report_text(results, verdict, known(), {});
  to_junit(results, known());
  to_markdown(results, verdict, known());
  accepts([&] { read_counterexample(text); });
}

}  // namespace dlcert::fuzz
