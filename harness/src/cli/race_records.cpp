// SPDX-License-Identifier: Apache-2.0
#include "cli/race_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <istream>
#include <set>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

namespace dlcert {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Of the file: the number of opaque launches, as 8 bytes, and nothing; then the records.
constexpr off_t head = 4096;

FrameOfCall frame_of(const Json& json) {
  return {json.value("function", ""), json.value("file", ""), json.value("module", ""),
          json.value("line", std::uint64_t{0}), json.value("offset", std::uint64_t{0})};
}

PlaceOfCall place_of(const Json& json) {
  PlaceOfCall place{json.value("call", ""), {}, {}};
  for (const Json& frame : json.at("native"))
    place.native.push_back(frame_of(frame));
  for (const Json& frame : json.at("python"))
    place.python.push_back(frame_of(frame));
  return place;
}

RecordedRace race_of(const Json& record) {
  const Json& race = record.at("race");
  return {record.at("process").get<std::uint64_t>(), race.at("first").get<std::string>(),
          race.at("second").get<std::string>(),      race.at("missing").get<std::string>(),
          place_of(race.at("first_place")),          place_of(race.at("second_place"))};
}

std::string key_of(const PlaceOfCall& place) {
  std::string key = place.call;
  for (const auto* const frames : {&place.native, &place.python})
    for (const FrameOfCall& frame : *frames)
      key += fmt::format("\n{}\t{}\t{}\t{}\t{}", frame.function, frame.file, frame.module,
                         frame.line, frame.offset);
  return key;
}

// Collects records of many processes.
class Records {
 public:
  void add(const Json& record) {
    if (record.contains("program")) all_.programs.push_back(record["program"]);
    if (record.contains("limit")) add_limit(record["limit"]);
    if (record.contains("race")) add_race(race_of(record));
  }

  RaceRecords all_ = {};

 private:
  void add_limit(const std::string& limit) {
    if (std::ranges::find(all_.limits, limit) == all_.limits.end()) all_.limits.push_back(limit);
  }
  void add_race(RecordedRace race) {
    if (seen_.insert(key_of(race.first_place) + "\n\n" + key_of(race.second_place)).second)
      all_.races.push_back(std::move(race));
  }

  std::set<std::string> seen_;
};

}  // namespace

RaceRecords read_race_records(std::istream& lines) {
  Records records;
  for (std::string line; std::getline(lines, line);)
    try {
      records.add(Json::parse(line));
    } catch (const Json::exception&) {  // of a process that ended within it
    }
  return std::move(records.all_);
}

RaceFile::RaceFile() : path_{(fs::temp_directory_path() / "dlcert-races-XXXXXX").string()} {
  const int descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
  if (descriptor < 0 || ::ftruncate(descriptor, head) != 0)
    throw std::system_error{errno, std::generic_category(),
                            fmt::format("cannot create the file '{}' for races", path_)};
  ::close(descriptor);
}

RaceFile::~RaceFile() {
  ::unlink(path_.c_str());
}

RaceRecords RaceFile::read() const {
  std::ifstream file{path_, std::ios::binary};
  std::uint64_t opaque_launches = 0;
  file.read(reinterpret_cast<char*>(&opaque_launches), sizeof opaque_launches);
  file.seekg(head);
  RaceRecords records = read_race_records(file);
  records.opaque_launches = opaque_launches;
  return records;
}

}  // namespace dlcert
