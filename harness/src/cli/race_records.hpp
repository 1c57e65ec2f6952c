// SPDX-License-Identifier: Apache-2.0
//
// What the processes of a program tell of their races (harness/shims/watch).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace dlcert {

// A line of Python, or an address in a module: what is not known is empty or 0.
struct FrameOfCall {
  std::string function, file, module;
  std::uint64_t line = 0, offset = 0;
};

// Where in its program a call is, the innermost frame first.
struct PlaceOfCall {
  std::string call;  // the runtime's function
  std::vector<FrameOfCall> native, python;
};

struct RecordedRace {
  std::uint64_t process = 0;
  std::string first, second, missing;  // as in driver::Race
  PlaceOfCall first_place, second_place;
};

struct RaceRecords {
  std::vector<std::string> programs;  // that opened the simulated driver, one for each process
  std::vector<RecordedRace> races;    // one for each two places
  std::vector<std::string> limits;    // what was not modelled, each once
  std::uint64_t opaque_launches = 0;
};

// Of lines, one for each record; a line that was cut off is left out.
RaceRecords read_race_records(std::istream& lines);

// The file that such processes append to; it lives as long as this.
class RaceFile {
 public:
  RaceFile();  // throws std::system_error
  RaceFile(const RaceFile&) = delete;
  RaceFile& operator=(const RaceFile&) = delete;
  ~RaceFile();

  const std::string& path() const { return path_; }
  RaceRecords read() const;

 private:
  std::string path_;
};

}  // namespace dlcert
