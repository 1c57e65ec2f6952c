// SPDX-License-Identifier: Apache-2.0
//
// Which features a check counts for.
#pragma once

#include <string_view>
#include <vector>

#include "register/register.hpp"

namespace dlcert {

// The features that a check of this requirement counts for, tested in this role on the devices of
// this platform. What producers and consumers do on one vendor's devices counts for that vendor's
// feature, whatever the requirement's own is; else a requirement of a shared feature counts for
// each feature that the shared one is part of, and any other for its own. Never empty. The register
// owns what is pointed to.
std::vector<const Feature*> features_of(const Register& known, const Requirement& requirement,
                                        Role role, Platform platform);

// The requirement is part of the feature: its own, or one that its own, a shared one, is part of.
bool is_part_of(const Register& known, const Requirement& requirement, std::string_view feature);

// A feature is whole without this requirement: it is a MAY, or its own feature says so.
bool is_optional(const Register& known, const Requirement& requirement, Role role);

// The requirement's being tested in this role shows that a library claims the feature, if nothing
// else claims it (Feature::claimed_with).
bool shows(const Feature& feature, const Requirement& requirement, Role role);

}  // namespace dlcert
