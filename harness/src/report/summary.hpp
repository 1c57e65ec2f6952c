// SPDX-License-Identifier: Apache-2.0
//
// The counts of results that every form for people shows.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

struct AreaSummary {
  std::string area;
  std::array<std::size_t, verdict_count> counts{};  // by Verdict

  std::size_t of(Verdict verdict) const { return counts.at(static_cast<std::size_t>(verdict)); }
  std::size_t total() const;
};

// The areas that have results, in the register's order, and their sum, named "all".
std::vector<AreaSummary> summarise_areas(const Results& results, const Register& known);

// One role that an adapter declares.
struct RoleSummary {
  const AdapterInfo* adapter = nullptr;  // of the results
  Role role = Role::producer;
  std::size_t selected = 0;  // requirements of this role that the profile and the selection leave
  std::size_t tested = 0;    // of these: a check was judged, and not waived
  std::size_t untested() const { return selected - tested; }
};

// The rules of runtimes need devices that go and come back, which no vendor's driver has: over one
// a library is judged by its other roles.
bool judges_runtimes(const Results& results);

std::vector<RoleSummary> summarise_roles(const Results& results);

// The verdict says something of the library: it is not inconclusive, not judged, not
// applicable or not run.
bool tested(const RequirementResult& result);

// Of a heading: "Python 3.11.2, "; empty where no adapter is in Python.
std::string python_text(const Results& results);

std::string area_of(const RequirementResult& result, const Register& known);

}  // namespace dlcert
