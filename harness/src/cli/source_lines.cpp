// SPDX-License-Identifier: Apache-2.0
#include "cli/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "python/program.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// Of larger modules addr2line takes long; they are those of vendors, without lines.
constexpr std::uintmax_t largest_module = std::uintmax_t{64} << 20;
constexpr std::chrono::seconds patience{10};

using Frames = std::vector<FrameOfCall*>;

std::map<std::string, Frames> frames_by_module(std::vector<RecordedRace>& races) {
  std::map<std::string, Frames> frames;
  for (RecordedRace& race : races)
    for (PlaceOfCall* const place : {&race.first_place, &race.second_place})
      for (FrameOfCall& frame : place->native)
        if (!frame.module.empty()) frames[frame.module].push_back(&frame);
  return frames;
}

// Of two lines: "main", and "/src/program.c:12 (discriminator 2)".
void add_answer(FrameOfCall& frame, const std::string& function, std::string_view place) {
  if (frame.function.empty() && function != "??") frame.function = function;
  place = place.substr(0, place.find(" ("));
  const std::size_t colon = place.rfind(':');
  std::uint64_t line = 0;
  if (colon == place.npos || place.starts_with("??")) return;
  std::from_chars(place.begin() + colon + 1, place.end(), line);
  if (line == 0) return;
  frame.file = place.substr(0, colon);
  frame.line = line;
}

void ask(const std::string& program, const std::string& module, const Frames& frames) {
  std::vector<std::string> command{program, "-f", "-C", "-e", module};
  for (const FrameOfCall* const frame : frames)
    command.push_back(fmt::format("{:#x}", frame->offset));
  std::istringstream answer{ask_program(command, patience)};
  std::string function, place;
  for (FrameOfCall* const frame : frames)
    if (std::getline(answer, function) && std::getline(answer, place))
      add_answer(*frame, function, place);
}

}  // namespace

void add_source_lines(std::vector<RecordedRace>& races) {
  const std::string program = find_program("addr2line");
  if (program.empty()) return;
  for (const auto& [module, frames] : frames_by_module(races)) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(module, error);
    if (error || size > largest_module) continue;
    try {
      ask(program, module, frames);
    } catch (const std::exception&) {  // the names that are known already must do
    }
  }
}

}  // namespace dlcert
