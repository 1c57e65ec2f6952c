// SPDX-License-Identifier: Apache-2.0
//
// The register: conformance/requirements/*.json, policies.json and features.json, compiled
// into the program as text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

enum class Level : std::uint8_t { must, should, may };
std::string_view to_text(Level level);         // "MUST", "SHOULD", "MAY"
Level level_from_text(std::string_view text);  // throws std::runtime_error for another text

// A sentence of a standard. `keyword` is the word of it that binds, such as "must"; empty: it
// states a fact. `link` is a permanent address, with the lines.
struct Quote {
  std::string text, keyword, link;
};

// The code from which a requirement follows, such as "_parse_visible_devices", with a permanent
// address.
struct CodePlace {
  std::string function, link;
};

// What a requirement rests on.
struct Basis {
  std::vector<Quote> quotes;
  std::vector<CodePlace> code;
  std::vector<std::string> cited;  // documents that are not quoted, each with the place
  std::string follows;             // how the requirement follows from these; empty: they say it
};

// A version of dlcert that made a requirement stricter.
struct Tightening {
  std::string in;               // "0.2"
  std::optional<Level> before;  // its level until then; none: only its check became stricter
  std::string why;
};

struct Requirement {
  std::string id, area, feature;
  // "order", "values", "memory" or "deletion": its breach corrupts data; empty: it does not.
  std::string about;
  Level level = Level::must;
  // Its level for a library that does not claim the array API; none: the same.
  std::optional<Level> without_array_api;
  std::string role;  // producer, consumer, both, runtime
  std::string since, until;
  std::string added;                  // the minor version of dlcert that has it first: "0.1"
  std::vector<Tightening> tightened;  // oldest first
  std::string statement, source, how_to_test, ambiguity;
  Basis basis;
  std::string c_level;  // yes, hardware-only
  std::string policy;   // empty: none
  std::string excused;  // why no check tests it although c_level is yes; empty otherwise
};

struct Policy {
  // Its value in a policy set, and the bug of a real library that taught it (fixtures/bugs.json;
  // empty: none is named).
  struct SetValue {
    std::string value, bug;
  };
  std::string name, question, default_value;
  std::map<std::string, std::string> values;            // value -> what it means for the verdict
  std::map<std::string, SetValue, std::less<>> sets{};  // by set; where it is missing, the default

  const std::string& value_in(std::string_view set) const;
};

// A requirement, in one role or in each.
struct InRole {
  std::string requirement;
  std::optional<Role> role;  // none: each
};
bool contains(std::span<const InRole> list, std::string_view requirement, Role role);

// What a library must offer in a role to claim a feature: all of `all`, and one of `any` where that
// is not 0.
struct Claim {
  Needs all = 0, any = 0;
};

enum class FeatureKind : std::uint8_t {
  claimable,  // a library has it in full, in part or not
  always,     // shown, and never evidence of what the library does
  shared,     // not shown itself: its checks count in the features of `counted_in`
  elsewhere,  // no adapter written in C can claim it
};

// What users know a library by: a group of requirements. Every requirement is in one.
struct Feature {
  std::string id, title, meaning;
  FeatureKind kind = FeatureKind::claimable;
  Platform platform = Platform::any;  // of its devices
  bool core = false;  // of the features that decide whether a role was tested enough
  std::vector<std::string> counted_in;  // the features that a shared one is part of
  std::vector<Role> roles;
  std::map<Role, Claim> claims;    // none: nobody can claim it
  std::vector<std::string> specs;  // kinds of tensors that belong to it: Register::spec_kinds
  // Requirements that show that a library claims it; empty: any of its own, or what claims
  // `claimed_with`, where that is not empty.
  std::vector<InRole> shows;
  std::string claimed_with;
  std::vector<InRole> optional;  // it is whole without them

  bool has(Role role) const;
};

class Register {
 public:
  // Area files, the policy table and the features, each a JSON text with the name to show in
  // errors. Throws std::runtime_error, one line "name: place: what".
  struct Source {
    std::string_view name, text;
  };
  static Register parse(std::span<const Source> areas, Source policies, Source features);
  static const Register& embedded();

  std::span<const Requirement> requirements() const { return requirements_; }
  std::span<const Policy> policies() const { return policies_; }
  std::span<const Feature> features() const { return features_; }
  // Kinds of tensors that features name, each with the specs that are meant.
  const std::map<std::string, std::string>& spec_kinds() const { return spec_kinds_; }
  const Requirement* find(std::string_view id) const;
  const Policy* find_policy(std::string_view name) const;
  const Feature* find_feature(std::string_view id) const;
  std::vector<std::string> policy_names() const;
  std::vector<std::string> feature_ids() const;
  // The known ID, or beginning of one, nearest to `id`, for error messages; empty when nothing is
  // near.
  std::string nearest(std::string_view id) const;
  // The same among policies and features too.
  std::string nearest_of_all(std::string_view name) const;

 private:
  std::set<std::string> id_beginnings() const;
  std::vector<Requirement> requirements_;
  std::vector<Policy> policies_;
  std::vector<Feature> features_;
  std::map<std::string, std::string> spec_kinds_;
};

}  // namespace dlcert
