// SPDX-License-Identifier: Apache-2.0
#include "cli/race_report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "register/text.hpp"

namespace dlcert {
namespace {

using Json = nlohmann::ordered_json;

std::string counted(std::uint64_t number, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", number, number == 1 ? one : more);
}

// "train.py:12 in step", "acme::step(int) at step.cpp:4", "libacme.so+0x1a2b".
std::string text_of(const FrameOfCall& frame) {
  const std::string in = frame.function.empty() ? "" : frame.function;
  if (frame.line != 0)
    return fmt::format("{}:{}{}{}", frame.file, frame.line, in.empty() ? "" : " in ", in);
  const std::string address =
      frame.module.empty() ? "unknown" : fmt::format("{}+{:#x}", frame.module, frame.offset);
  return in.empty() ? address : fmt::format("{} in {}", address, in);
}

std::string text_of(std::string_view which, const PlaceOfCall& place) {
  std::string text = fmt::format(
      "  {}{}:\n", which, place.call.empty() ? "" : fmt::format(", {}", one_line(place.call)));
  for (const auto* const frames : {&place.native, &place.python})
    for (const FrameOfCall& frame : *frames)
      text += fmt::format("    {}\n", one_line(text_of(frame)));
  if (place.native.empty() && place.python.empty()) text += "    at an unknown place\n";
  return text;
}

// The life of memory is no call.
bool is_life(const RecordedRace& race) {
  return race.second == "the life of the memory";
}

std::string text_of(const RecordedRace& race, std::size_t number, std::size_t of) {
  std::string text = fmt::format(
      "dlcert: race {} of {}, in process {}: {} and {} are not ordered: {}\n", number, of,
      race.process, one_line(race.first), one_line(race.second), one_line(race.missing));
  text += text_of(is_life(race) ? "the call" : "the first call", race.first_place);
  return is_life(race) ? text : text + text_of("the second call", race.second_place);
}

// What stands beside the number of races, since it could hide some.
std::vector<std::string> bounds_of(const RaceRecords& records) {
  std::vector<std::string> bounds;
  if (records.opaque_launches != 0)
    bounds.push_back(
        fmt::format("the memory accesses of {} are unknown",
                    counted(records.opaque_launches, "kernel launch", "kernel launches")));
  for (const std::string& limit : records.limits)
    bounds.push_back(one_line(limit));
  if (records.programs.empty()) bounds.emplace_back("no process called a GPU runtime");
  return bounds;
}

Json json_of(const FrameOfCall& frame) {
  Json json = Json::object();
  if (!frame.function.empty()) json["function"] = frame.function;
  if (frame.line != 0) {
    json["file"] = frame.file;
    json["line"] = frame.line;
  }
  if (!frame.module.empty()) {
    json["module"] = frame.module;
    json["offset"] = frame.offset;
  }
  return json;
}

Json json_of(std::string_view what, const PlaceOfCall& place) {
  Json json{{"operation", what}};
  if (!place.call.empty()) json["call"] = place.call;
  for (const auto& [name, frames] :
       {std::pair{"native", &place.native}, {"python", &place.python}}) {
    json[name] = Json::array();
    for (const FrameOfCall& frame : *frames)
      json[name].push_back(json_of(frame));
  }
  return json;
}

Json json_of(const RecordedRace& race) {
  Json json{{"process", race.process}};
  json["first"] = json_of(race.first, race.first_place);
  if (is_life(race))
    json["second"] = nullptr;
  else
    json["second"] = json_of(race.second, race.second_place);
  json["missing"] = race.missing;
  return json;
}

}  // namespace

std::string text_of(const RaceRecords& records) {
  std::string text;
  for (std::size_t i = 0; i < records.races.size(); ++i)
    text += text_of(records.races[i], i + 1, records.races.size());
  const std::vector<std::string> bounds = bounds_of(records);
  if (records.races.empty() && bounds.empty()) return text;
  text += fmt::format("dlcert: {}", counted(records.races.size(), "race", "races"));
  for (const std::string& bound : bounds)
    text += "; " + bound;
  return text + "\n";
}

std::string json_of(const RaceRecords& records, const std::vector<std::string>& program,
                    const EndOfProgram& end) {
  Json json{{"schema_version", 1}, {"program", program}};
  if (end.signal != 0)
    json["ended_by"] = {{"signal", end.signal}};
  else
    json["ended_by"] = {{"exit_code", end.exit_code}};
  json["processes"] = records.programs;
  json["races"] = Json::array();
  for (const RecordedRace& race : records.races)
    json["races"].push_back(json_of(race));
  json["opaque_launches"] = records.opaque_launches;
  json["limits"] = records.limits;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dlcert
