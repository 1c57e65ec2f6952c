// SPDX-License-Identifier: Apache-2.0
#include "fuzz/parsers.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "register/register.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/results.hpp"
#include "report/run_verdict.hpp"
#include "report/terminal.hpp"
#include "report/waivers.hpp"

namespace dlcert::fuzz {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Whether `parse` accepts; a refusal is a runtime error of one line.
template <typename Parse>
bool accepts(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    require(!what.empty() && what.find('\n') == std::string::npos, "an error that is not one line");
    return false;
  }
}

Results some_results() {
  Results results;
  AdapterInfo acme;
  acme.name = "acme";
  acme.version = "2.1";
  acme.consumer = true;
  results.adapters = {acme};
  for (const Requirement& requirement : Register::embedded().requirements()) {
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
  if (!accepts([&] { waivers = parse_waivers(text, "w", Register::embedded()); })) return;
  Results results = untouched;
  apply_waivers(results, waivers, day);
  std::string written = write_waivers(results, waivers, day);
  for (const std::string_view placeholder : {unowned, unexamined})  // as people fill them in
    for (std::size_t at = written.find(placeholder); at != written.npos;
         at = written.find(placeholder))
      written.replace(at, placeholder.size(), "the team");
  require(accepts([&] { parse_waivers(written, "w", Register::embedded()); }),
          "waivers that cannot be read again");
}

void read_register(std::string_view text) {
  constexpr std::string_view some_policies =
      R"({"policies": [{"name": "p", "question": "", "default": "a", "values": {"a": ""}}]})";
  constexpr std::string_view some_features =
      R"({"spec_kinds": {"k": ""}, "features": [{"id": "f", "title": "", "meaning": "", "roles": []}]})";
  const std::array area{Register::Source{"area", text}};
  const Register::Source policies{"policies", some_policies};
  const Register::Source features{"features", some_features};
  accepts([&] { Register::parse(area, policies, features).nearest("abi.dtype"); });
  accepts([&] { Register::parse({}, {"policies", text}, features); });
  accepts([&] { Register::parse({}, policies, {"features", text}); });
}

void read_results(std::string_view text) {
  Results results;
  if (!accepts([&] { results = results_from_json(text); })) return;
  const std::string written = to_json(results);
  require(to_json(results_from_json(written)) == written, "results that change when read again");
  const Register& known = Register::embedded();
  const RunVerdict verdict = judge(results);
  report_text(results, verdict, known, {});
  to_junit(results, known);
  to_markdown(results, verdict, known);
}

}  // namespace dlcert::fuzz
