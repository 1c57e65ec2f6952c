// SPDX-License-Identifier: Apache-2.0
//
// hostile_reports COUNT FOLDER: writes the reports on results in which every text is drawn from
// hostile alphabets, and beside each the report on the same results with plain words, for
// hostile_reports_test.py: FOLDER/N.{json,xml,md,txt}, N.plain.{xml,md,txt}, and N.words.json,
// which tells the text behind each word.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <dlcert/suite/draw.hpp>
#include <nlohmann/json.hpp>

#include "report/atomic_file.hpp"
#include "report/issue.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/terminal.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// ---- texts --------------------------------------------------------------------------------------

const std::array alphabets{
    std::vector{"a"s, "Z"s, "7"s, " "s, "  "s, "."s, "Müller"s, "数组"s, "🙂"s},
    std::vector{"\0"s, "\x01"s, "\a"s, "\b"s, "\t"s, "\n"s, "\v"s, "\f"s, "\r"s, "\x1b"s, "\x7f"s},
    std::vector{"\x1b[2J"s, "\x1b]0;title\a"s, "\x1b[1A\x1b[2K"s, "\x9b"s, "\u009b1A"s, "\u0085"s},
    std::vector{"\u061c"s, "\u200e"s, "\u202e"s, "\u2066"s, "\u2069"s, "\u2028"s, "\u2029"s},
    std::vector{"\ufeff"s, "\u200b"s, "\u00ad"s, "\u2060"s, "\U000e0041"s, "\ufdd0"s,
                "\xef\xbf\xbe"s, "\xef\xbf\xbf"s, "\U0010fffe"s},
    std::vector{"\xff"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xe2\x82"s, "\xf4\x90\x80\x80"s, "\x80"s},
    std::vector{"|"s,  "`"s,   "```"s, "~~~"s, "*"s,    "_"s, "**"s, "~~"s,   "#"s,   "# "s,
                "- "s, "---"s, "1. "s, "2) "s, "+ "s,   "="s, "> "s, "    "s, "[x]"s, "(y)"s,
                "!["s, "]: "s, ":-:"s, "\\"s,  "\\\n"s, "$"s, "@"s,  ":"s},
    std::vector{"<"s, ">"s, "&"s, "\""s, "'"s, "<!--"s, "-->"s, "]]>"s, "<![CDATA["s, "<b>"s,
                "</testsuite>"s, "&amp;"s, "&#x202e;"s, "&#32;"s, "<http://x.y>"s, "<?xml?>"s},
    std::vector{"\ncertified: evil 1.0\n"s, "\n# Certified\n"s, "\n\n| a |\n|---|\n"s, "{}"s,
                "%n%s"s, "\n[  PASSED  ]"s, "\n::error::"s, "*/"s, "\?\?/"s, "'; rm x"s},
};

// Of one alphabet, of all, or long.
std::string hostile_text(Draw& draw) {
  std::string text;
  const bool mixed = draw.flip();
  const std::uint64_t alphabet = draw.below(alphabets.size());
  const std::uint64_t pieces = draw.rarely(20) ? 10'000 : draw.below(12);
  for (std::uint64_t i = 0; i < pieces; ++i)
    text += draw.one_of(alphabets.at(mixed ? draw.below(alphabets.size()) : alphabet));
  return text;
}

template <typename Change>
void change_texts(Counterexample& example, const Change& change) {
  for (std::string& line : example.trace)
    change(line);
  for (std::vector<std::string>* const statements : {&example.program, &example.recording})
    for (std::string& statement : *statements)
      change(statement);
}

template <typename Change>
void change_texts(CheckResult& check, const Change& change) {
  UnitRecord& record = check.record;
  for (std::string* const text : {&check.sentence, &check.reason, &check.after, &check.output,
                                  &record.message, &record.expected, &record.found})
    change(*text);
  for (std::string& warning : record.warnings)
    change(warning);
  if (record.counterexample) change_texts(*record.counterexample, change);
}

// Every text that somebody else can have written, but for keys.
template <typename Change>
void change_texts(Results& results, const Change& change) {
  change(results.dlcert_version);
  change(results.invoker);
  for (auto& [policy, value] : results.settings.policies)
    change(value);
  for (AdapterInfo& adapter : results.adapters) {
    for (std::string* const text :
         {&adapter.name, &adapter.version, &adapter.declared.runtime, &adapter.path})
      change(*text);
    for (auto& [group, functions] : adapter.groups)
      for (std::string& function : functions)
        change(function);
  }
  for (RequirementResult& result : results.results) {
    for (std::string* const text :
         {&result.producer, &result.consumer, &result.reason, &result.waiver})
      if (*text != own_name) change(*text);
    for (CheckResult& check : result.checks)
      change_texts(check, change);
  }
  for (std::vector<WaiverNote>* const notes : {&results.waiver_problems, &results.waiver_warnings})
    for (WaiverNote& note : *notes)
      change(note.text);
}

// ---- results ------------------------------------------------------------------------------------

// Each verdict once, with all that a report can show.
Results template_results() {
  Results results = sample::passing();
  for (std::size_t i = 0; i < verdict_count; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    const std::string rule = verdict == Verdict::fail ? "kept.beta" : fmt::format("kept.{}", i);
    RequirementResult result = sample::result(rule, Level::must, verdict, "message");
    result.reason = result.reason.empty() ? "reason" : result.reason;
    if (verdict == Verdict::waived) result.waiver = "waiver";
    if (verdict == Verdict::consequence) result.consequence_of = "kept.beta";
    for (CheckResult& check : result.checks) {
      check.reason = "why";
      check.output = "output";
      check.record.warnings = {"one", "two"};
      check.record.counterexample =
          Counterexample{{1}, 0, 1, 2, {"create"}, {"create();"}, {"return MUST(1);"}};
      if (verdict == Verdict::waived || verdict == Verdict::consequence)
        check.verdict = Verdict::fail;
      if (verdict == Verdict::consequence)
        check.consequence = {.of = "kept.beta", .without = {"byte_offset"}, .cases = 20};
      if (verdict == Verdict::unexpected_pass) check.verdict = Verdict::pass;
    }
    results.results.push_back(std::move(result));
  }
  results.waiver_problems = {{"kept.beta", "problem"}};
  results.waiver_warnings = {{"kept.beta", "warning"}};
  results.invoker = "invoker";
  results.exit_code = exit_failed;
  return results;
}

// Texts that were equal stay equal: names are keys.
Results hostile_results(Draw& draw) {
  Results results = template_results();
  std::map<std::string, std::string> drawn;
  change_texts(results, [&](std::string& text) {
    const auto [place, fresh] = drawn.try_emplace(text);
    if (fresh) place->second = hostile_text(draw);
    text = place->second;
  });
  if (results.adapters[0].name.empty()) {
    results.adapters[0].name = "acme";
    for (RequirementResult& result : results.results)
      result.consumer = "acme";
  }
  for (RequirementResult& result : results.results)
    for (CheckResult& check : result.checks)
      check.record.observations[hostile_text(draw)] = 1;
  return results;
}

// The same with a word in the place of each line of text.
class Plain {
 public:
  Results of(Results results) {
    change_texts(results, [this](std::string& text) { text = plain(text); });
    return results;
  }
  const std::map<std::string, std::string>& words() const { return words_; }

 private:
  std::string plain(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      out += word(text.substr(begin, end - begin));
      if (end < text.size()) out += '\n';
      begin = end + 1;
    }
    return out;
  }

  std::string word(const std::string& line) {
    if (line.empty()) return {};
    const auto found = known_.find(line);
    if (found != known_.end()) return found->second;
    std::string word = fmt::format("word{:04}", known_.size());
    words_.emplace(word, line);
    return known_.emplace(line, std::move(word)).first->second;
  }

  std::map<std::string, std::string> known_, words_;
};

void write_reports(const Results& results, const fs::path& stem, const std::string& kind) {
  const Register known = sample::sample_register();
  const RunVerdict verdict = judge(results);
  write_file(stem.string() + kind + ".xml", to_junit(results, known));
  write_file(stem.string() + kind + ".md", to_markdown(results, verdict, known));
  std::string issues;
  for (const Fault& fault : faults_of(results))
    issues += issue_text(results, fault, known, {});
  write_file(stem.string() + kind + ".issues.md", issues);
  write_file(stem.string() + kind + ".txt", report_text(results, verdict, known, {}));
}

void write_sample(std::uint64_t seed, const fs::path& folder) {
  Draw draw{seed, 100};
  const fs::path stem = folder / std::to_string(seed);
  const std::string document = to_json(hostile_results(draw));
  write_file(stem.string() + ".json", document);
  const Results results = results_from_json(document);
  write_reports(results, stem, "");
  Plain plain;
  write_reports(plain.of(results), stem, ".plain");
  write_file(stem.string() + ".words.json", nlohmann::json(plain.words()).dump());
}

}  // namespace
}  // namespace dlcert

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  for (std::uint64_t seed = 0; seed < count; ++seed)
    dlcert::write_sample(seed, argv[2]);
  std::printf("%s: %s samples\n", argv[2], argv[1]);
  return 0;
}
