// SPDX-License-Identifier: Apache-2.0
//
// What the results of a run cover: per role of each adapter the evidence that its values cross, and
// each feature of the register in full, in part or not. Every format, --require and --baseline rest
// on it. Pure: it follows from the results and the register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

#include "records/job.hpp"

namespace dlcert {

class Register;
struct Results;

// How much of a role's core features was tested: of the requirements that apply to the library.
struct CoreScope {
  std::size_t tested = 0, of = 0;

  bool is_too_little() const { return 2 * tested < of; }
};

// The evidence of one role that an adapter declares, the sum over all cases that passed, and how
// much of it was tested.
struct RoleScope {
  std::string adapter;
  Role role = Role::producer;
  EvidenceCounts evidence;
  std::optional<CoreScope> core;  // of a whole certification

  // At least one value was made, handed over and found.
  bool has_evidence() const { return evidence.found != 0; }
};

enum class Coverage : std::uint8_t {
  full,         // each requirement of the feature was tested
  partial,      // some were
  not_claimed,  // nothing that the library claims shows the feature
};
std::string_view to_text(Coverage coverage);         // "full", "partial", "not claimed"
Coverage coverage_from_text(std::string_view text);  // throws std::runtime_error for another text

// A requirement of a feature that was not tested, and why not.
struct Untested {
  std::string requirement, reason;
};

// One feature, of an adapter in a role.
struct FeatureScope {
  std::string adapter;
  Role role = Role::producer;
  std::string feature;  // its ID in the register
  Coverage coverage = Coverage::not_claimed;
  std::size_t tested = 0;         // of the requirements that the feature is whole with
  std::size_t failed = 0;         // of these: broken
  std::size_t of = 0;             // the requirements that the feature is whole with
  std::vector<Untested> missing;  // the others; empty where the feature is not claimed
};

struct Scope {
  std::vector<RoleScope> roles;
  std::vector<FeatureScope> features;  // by role, in the order of the register
};

Scope scope_of(const Results& results, const Register& known);

// The roles that the adapters declare, with their evidence.
std::vector<RoleScope> evidence_of(const Results& results);

// "70 of 80 requirements of its core features".
std::string core_text(const CoreScope& core);

// "dtypes", "dtypes (1 failed)", "layouts (5 of 7, 1 failed; abi.strides.signed: the library does
// not claim negative strides; ...)"; the first `shown` of what is missing.
std::string feature_text(const FeatureScope& feature, std::size_t shown);

// "full", "full, 1 failed", "partial: layouts (...)", "not claimed".
std::string coverage_text(const FeatureScope& feature, std::size_t shown);

}  // namespace dlcert
