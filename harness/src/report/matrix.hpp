// SPDX-License-Identifier: Apache-2.0
//
// Libraries with each other: a cell for each as producer with each as consumer, and who is at
// fault. Pure: it follows from the results and from what each library showed against the harness.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/program_run.hpp"

namespace dlcert {

struct RequirementResult;
struct Results;

enum class CellState : std::uint8_t {
  full,     // all that both claim arrives, and every rule that concerns both is kept
  partial,  // some dtypes or layouts are refused or wrong, the others arrive
  broken,   // nothing arrives right, or a rule about all tensors is broken
  nothing,  // nothing was exchanged that could be compared: no pass
  not_run,  // it could not be judged: flaky, inconclusive, or not run
  no_role,  // the one does not export, or the other does not import
  apart,    // they cannot be loaded together: neither a pass nor a failure of either
};
inline constexpr std::size_t cell_state_count = 7;
std::string_view to_text(CellState state);  // "full", "partial", "broken", "nothing exchanged", ...
CellState cell_state_from_text(std::string_view text);  // throws std::runtime_error for another

// Which side a loss is laid at.
enum class AtFault : std::uint8_t {
  none,      // there is none
  producer,  // it shows the same against the harness
  consumer,
  both,
  untold,  // neither shows it against the harness
};
std::string_view to_text(AtFault fault);  // "none", "producer", "consumer", "both", "untold"
AtFault at_fault_from_text(std::string_view text);

// What of a cell is not right: a rule that is broken, or what is refused.
struct Loss {
  std::string requirement;
  std::string how;  // "refused", "failed", "crash", "timeout"
  AtFault fault = AtFault::none;
  std::map<std::string, std::vector<std::string>> parts;  // dtype -> layouts; empty: not of rows
  std::string text;                                       // what the first of them said
};

struct Cell {
  std::string producer, consumer;
  CellState state = CellState::not_run;
  std::uint64_t found = 0;      // dtypes in layouts that arrived right
  std::uint64_t refused = 0;    // that both claim, and one refused
  std::uint64_t failed = 0;     // that arrived wrong
  std::uint64_t unclaimed = 0;  // that not both claim
  std::vector<Loss> losses;
  std::string reason;  // of nothing, not_run and no_role
};

// How often each library was loaded by the run, each time by a process of its own.
struct Imports {
  std::string adapter;
  std::uint64_t times = 0;
};

// Two libraries loaded into one process, in this order.
struct LoadOrder {
  std::string first, second;  // names
  bool loads = false;
  std::string how;     // where not: "ended by SIGABRT in open(): <the last line that it printed>"
  std::string output;  // what was printed then
};

// Two libraries that each load alone, and not together in one order or the other.
struct Clash {
  std::string first, second;              // names, in the order of the adapters
  std::vector<std::string> files;         // of the first, of the second: a package's or a module's
  std::vector<std::string> imports;       // likewise, of a library in Python; else empty
  std::vector<LoadOrder> orders;          // both
  double load_seconds = 0;                // what took longer hung
  std::string waiver, reason;             // the waiver that accepts it, and why; empty: none does
  std::optional<ProgramRun> program_run;  // of the script that loads both; empty: none was saved
};

struct Matrix {
  std::vector<Cell> cells;  // by producer, then by consumer, in the order of the adapters
  std::vector<Clash> clashes;
  std::vector<RequirementResult> controls;  // each library against the harness
  std::vector<Imports> imports;
  std::vector<std::string> required;  // pairs that must be full: "a:b"
};

// Fills the cells of `results.matrix` from the results of pairs and its controls.
void find_cells(Results& results);

// The clash of a producer and a consumer; NULL: there is none.
const Clash* find_clash(const std::vector<Clash>& clashes, std::string_view producer,
                        std::string_view consumer);
bool is_of(const Clash& clash, std::string_view producer, std::string_view consumer);

// "a, then b: ended by SIGABRT; b, then a: both load".
std::string clash_text(const Clash& clash);

// As a waiver names it, in the place of a requirement, and every report.
inline constexpr std::string_view cannot_be_loaded_together = "cannot be loaded together";

// Whether the result is of two libraries that clash: the clash is told, not each rule that was not
// run for it.
bool is_apart(const Results& results, const RequirementResult& result);

// Whether the result is of two libraries.
bool is_pair(const RequirementResult& result);

// "int8 reversed, stepped; float32 (all 8 layouts that arrive)": dtypes and layouts in a line.
std::string parts_text(const std::map<std::string, std::vector<std::string>>& parts,
                       std::size_t shown);

// "numpy as producer does the same with dlcert", "neither library does this with dlcert"; empty for
// none.
std::string fault_text(const Cell& cell, AtFault fault);

// The grid and what is not full of it, for terminals; the same as Markdown.
std::string matrix_text(const Results& results);
std::string matrix_markdown(const Results& results);

}  // namespace dlcert
