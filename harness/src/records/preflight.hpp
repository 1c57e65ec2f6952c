// SPDX-License-Identifier: Apache-2.0
//
// The preflight: what a worker finds when it makes, reads and hands over a tensor of each kind that
// an adapter claims, before any rule is judged (Job::Mode::preflight). Travels as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// A job has these for each adapter, as Unit::check; Unit::producer says which adapter.
enum class PreflightStage : std::uint32_t {
  own,       // what is claimed, then create, describe, read and write: no export, no import
  crossing,  // one export, one import of each, with the harness as the other side
};

// The tensors of one layout on one device, one for each dtype.
struct TriedTensors {
  Role role = Role::producer;
  std::string device;  // "cpu", "cuda", ...
  std::string layout;  // "compact", "permuted", ...
  std::uint64_t claimed = 0;
  std::uint64_t made = 0;     // of a producer: and found to hold their values
  std::uint64_t crossed = 0;  // exported or imported, and found to hold their values
  std::uint64_t untried = 0;  // the harness cannot try them, or not to their end
  std::string lost = {};      // how the first one that was not made or did not cross was lost
};

// The kinds of tensors that each role claims, by the role's name: "cpu-permuted", "complex", ...
using Claims = std::map<std::string, std::vector<std::string>>;

struct PreflightFindings {
  Claims claims = {};
  std::vector<TriedTensors> tried = {};
  // What is the adapter's fault and nothing of the library: each names the call, the likely mistake
  // and a tensor that shows it.
  std::vector<std::string> faults = {};
  // What the adapter may have forgotten to declare.
  std::vector<std::string> hints = {};
  // By role, the first tensor that arrived with other values.
  std::map<std::string, std::string> wrong_values = {};
  // The files of the modules that were loaded when a stage had been done: libraries open some only
  // when they are used.
  std::vector<std::string> modules = {};
  // The newest version of DLPack that it exports, publishes a table of, or asks producers for;
  // "0.8": it knows legacy tensors alone; empty: it does not tell.
  std::string dlpack = {};
};

// As the functions of job.hpp.
std::string to_json(const PreflightFindings& findings);
PreflightFindings findings_from_json(std::string_view text);

}  // namespace dlcert
