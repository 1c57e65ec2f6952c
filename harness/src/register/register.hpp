// SPDX-License-Identifier: Apache-2.0
//
// The register of requirements: conformance/requirements/*.json, compiled into the program as text.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

enum class Level : std::uint8_t { must, should, may };
std::string_view to_text(Level level);         // "MUST", "SHOULD", "MAY"
Level level_from_text(std::string_view text);  // throws std::runtime_error for another text

struct Requirement {
  std::string id, area;
  Level level = Level::must;
  std::string role;  // producer, consumer, both, runtime
  std::string since, until;
  std::string statement, source, how_to_test, ambiguity;
  std::string c_level;  // yes, python-only, hardware-only
  std::string policy;   // empty: none
  std::string excused;  // why no check tests it although c_level is yes; empty otherwise
};

struct Policy {
  std::string name, question, default_value;
  std::map<std::string, std::string> values;  // value -> what it means for the verdict
};

class Register {
 public:
  // Area files and the policy table, each a JSON text with the name to show in errors.
  // Throws std::runtime_error, one line "name: place: what".
  struct Source {
    std::string_view name, text;
  };
  static Register parse(std::span<const Source> areas, Source policies);
  static const Register& embedded();

  std::span<const Requirement> requirements() const { return requirements_; }
  std::span<const Policy> policies() const { return policies_; }
  const Requirement* find(std::string_view id) const;
  const Policy* find_policy(std::string_view name) const;
  // The known ID, or beginning of one, nearest to `id`, for error messages; empty when nothing is
  // near.
  std::string nearest(std::string_view id) const;

 private:
  std::vector<Requirement> requirements_;
  std::vector<Policy> policies_;
};

}  // namespace dlcert
