// SPDX-License-Identifier: Apache-2.0
//
// The rows of fixtures/vectors that every implementation must agree on, as torch 2.4 answers them
// (fixtures/vectors/README.md has what the members mean). They live as long as the process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dlcert/suite/management.hpp>

namespace dlcert::vectors {

// A value of the variable of visible devices, and what torch makes of it.
struct VisibleRow {
  std::string id;
  std::optional<std::string> value;  // nothing: unset
  std::vector<std::string> devices;  // the list: ordinals as decimals, or identifiers
  // By the number of devices there are; -1: the runtime is asked.
  std::map<int, std::int64_t> counts;
  bool has_sign_only = false;  // an element is a sign without digits, which ends the list here
};
// With the counts of a ROCm build, or of a CUDA build.
std::span<const VisibleRow> visible_rows(bool rocm);
// The UUIDs of the machine that the counts of identifiers are for, in order.
std::span<const std::string> visible_uuids();

// Values of the three variables that a ROCm build reads.
struct RocmRow {
  std::string id;
  std::map<std::string, std::optional<std::string>> environment;
  std::vector<std::string> torch_2_4;
  // Of torch 2.6, the policy rocm-visible-variable=current; nothing: an error.
  std::optional<std::vector<std::string>> current;
};
std::span<const RocmRow> rocm_rows();

// Identifiers of devices, and the ordinals that they resolve to.
struct UuidRow {
  std::string id;
  std::vector<std::string> candidates;
  std::vector<std::string> uuids;
  std::vector<std::int64_t> expected;
};
std::span<const UuidRow> uuid_rows();

// What nvmlDeviceGetUUID leaves in a buffer of 96 bytes.
struct RawUuidRow {
  std::string id;
  std::string hex;                  // two digits for each byte
  std::optional<std::string> text;  // nothing: not ASCII
};
std::span<const RawUuidRow> raw_uuid_rows();

// A management library that works, or fails somewhere.
struct ManagementRow {
  struct Count {
    std::optional<std::string> value;  // of the variable
    std::int64_t device_count;
    bool asks_runtime;
    bool warns;
  };
  std::string id;
  bool rocm = false;
  ManagementLibrary library = ManagementLibrary::stand_in;
  std::string settings;  // of the stand-in
  std::int64_t raw_count = -1;
  bool raw_count_warns = false;
  std::optional<std::vector<std::string>> raw_uuids;
  bool raw_uuids_warns = false;
  std::vector<Count> counts;
};
std::span<const ManagementRow> management_rows();
// How many devices the runtime of those rows has.
std::int64_t management_runtime_count();

}  // namespace dlcert::vectors
