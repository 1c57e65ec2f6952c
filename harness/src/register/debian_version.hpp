// SPDX-License-Identifier: Apache-2.0
//
// Versions as Debian compares them (deb-version(7)): [epoch:]upstream[-revision].
#pragma once

#include <string_view>

namespace dlcert {

// `text` starts with a digit behind its epoch, and holds nothing but letters, digits and . + - ~ :
bool is_debian_version(std::string_view text);

// Less than, equal to or greater than 0, of two such texts: runs of digits compare as numbers,
// others letter by letter, letters before all other characters, and ~ before everything, an end
// too.
int compare_debian_versions(std::string_view a, std::string_view b);

}  // namespace dlcert
