// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "fuzz/require.hpp"
#include "fuzz/targets.hpp"
#include "records/job.hpp"
#include "records/preflight.hpp"
#include "worker/case_message.hpp"

namespace dlcert::fuzz {
namespace {

// What was accepted and written reads back the same.
template <typename FromText>
void require_kept(std::string_view text, const FromText& from_text) {
  decltype(from_text(text)) value;
  if (!accepts([&] { value = from_text(text); })) return;
  const std::string written = to_json(value);
  require(to_json(from_text(written)) == written, "a message that changes when read again");
}

}  // namespace

void read_job(std::string_view text) {
  require_kept(text, job_from_json);
}

void read_record(std::string_view text) {
  require_kept(text, record_from_json);
}

void read_inventory(std::string_view text) {
  require_kept(text, inventory_from_json);
}

void read_findings(std::string_view text) {
  require_kept(text, findings_from_json);
}

void read_case_message(std::string_view text) {
  require_kept(text, case_message_from_json);
}

void read_trace(std::string_view lines) {
  Counterexample example;
  add_trace(example, lines);
  const auto most = static_cast<std::size_t>(std::ranges::count(lines, '\n')) + 1;
  require(example.trace.size() <= most && example.program.size() <= most, "more than was told");
  std::string again;
  for (const std::string& text : example.trace) {
    require(!text.empty() && text.find_first_of("\t\n") == text.npos, "an event of two lines");
    again += to_line({text, ""}) + "\n";
  }
  Counterexample same;
  add_trace(same, again);
  require(same.trace == example.trace && same.program.empty(), "a trace that is another");
}

}  // namespace dlcert::fuzz
