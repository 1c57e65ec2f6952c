// SPDX-License-Identifier: Apache-2.0
#include "worker/case_message.hpp"

#include <fmt/format.h>

#include <array>

#include "register/json_reader.hpp"

namespace dlcert {
namespace {

using Json = nlohmann::json;

constexpr int ends = static_cast<int>(CaseEnd::not_formable) + 1;

CaseEnd end_from(const JsonReader& reader) {
  const int end = reader.integer_as<int>();
  if (end < 0 || end >= ends) reader.fail("an end of a case", std::to_string(end));
  return static_cast<CaseEnd>(end);
}

CaseEvidence evidence_from(const JsonReader& reader) {
  const std::vector<JsonReader> shown = reader.items();
  if (shown.size() != 5) reader.fail("5 items", std::to_string(shown.size()));
  return {shown[0].boolean(), shown[1].boolean(), shown[2].boolean(), shown[3].boolean(),
          shown[4].texts()};
}

std::vector<std::string> texts_at(const JsonReader& reader, const char* key) {
  const auto texts = reader.find(key);
  return texts ? texts->texts() : std::vector<std::string>{};
}

std::vector<TraceEvent> events_from(const JsonReader& reader) {
  std::vector<TraceEvent> events;
  for (const JsonReader& item : reader.items()) {
    const std::vector<std::string> parts = item.texts();
    if (parts.size() != 2) item.fail("2 texts", std::to_string(parts.size()));
    events.emplace_back(parts[0], parts[1]);
  }
  return events;
}

template <class Value>
void add_unless_empty(Json& json, const char* key, const Value& value) {
  if (!value.empty()) json[key] = value;
}

// Of most cases there is nothing to tell but that they passed.
Json outcome_as_json(const CaseOutcome& outcome) {
  const CaseEvidence& evidence = outcome.evidence;
  Json json{{"end", outcome.end}, {"met", outcome.met}};
  if (outcome.minor) json["minor"] = true;
  add_unless_empty(json, "message", outcome.failure.message);
  add_unless_empty(json, "expected", outcome.failure.expected);
  add_unless_empty(json, "found", outcome.failure.found);
  add_unless_empty(json, "recording", outcome.failure.recording);
  add_unless_empty(json, "owners", outcome.failure.owners);
  add_unless_empty(json, "reason", outcome.reason);
  if (outcome.inputs != 0) json["inputs"] = outcome.inputs;
  if (outcome.excluded) json["excluded"] = true;
  if (evidence != CaseEvidence{})
    json["evidence"] = {evidence.made, evidence.handed_over, evidence.found, evidence.by_export,
                        evidence.devices};
  return json;
}

}  // namespace

std::string to_json(const CaseMessage& message) {
  constexpr std::size_t capacity = std::size_t{1} << 20;
  constexpr std::size_t longest_text = 8 * 1024;
  Json json = outcome_as_json(message.outcome);
  add_unless_empty(json, "observed", message.observed);
  add_unless_empty(json, "choices", message.choices);
  add_unless_empty(json, "warnings", message.warnings);
  if (message.events) json["events"] = *message.events;
  const auto dumped = [&] { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string text = dumped();
  if (text.size() <= capacity) return text;
  json.erase("events");
  json.erase("recording");
  for (const char* const member : {"message", "expected", "found", "reason"})
    if (json.contains(member))
      json[member] = json[member].get<std::string>().substr(0, longest_text);
  if (json.contains("warnings"))
    for (Json& warning : json["warnings"])
      warning = warning.get<std::string>().substr(0, longest_text);
  return dumped();
}

CaseMessage case_message_from_json(std::string_view text) {
  const Json json = parse_json(text);
  const JsonReader reader{json};
  CaseMessage message;
  CaseOutcome& outcome = message.outcome;
  outcome.end = end_from(reader.at("end"));
  outcome.failure = {reader.text_or("message", ""), reader.text_or("expected", ""),
                     reader.text_or("found", ""), texts_at(reader, "recording"),
                     texts_at(reader, "owners")};
  outcome.reason = reader.text_or("reason", "");
  outcome.met = reader.at("met").boolean();
  if (const auto inputs = reader.find("inputs"))
    outcome.inputs = inputs->integer_as<InputProperties>();
  if (const auto excluded = reader.find("excluded")) outcome.excluded = excluded->boolean();
  if (const auto minor = reader.find("minor")) outcome.minor = minor->boolean();
  if (const auto evidence = reader.find("evidence")) outcome.evidence = evidence_from(*evidence);
  message.observed = texts_at(reader, "observed");
  if (const auto choices = reader.find("choices"))
    for (const JsonReader& choice : choices->items())
      message.choices.push_back(choice.integer_as<std::uint64_t>());
  message.warnings = texts_at(reader, "warnings");
  if (const auto events = reader.find("events")) message.events = events_from(*events);
  return message;
}

}  // namespace dlcert
