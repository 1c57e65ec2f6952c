// SPDX-License-Identifier: Apache-2.0
//
// The texts of a document that implementations may have chosen.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace dlcert {

// The text of a member with this name, or of an item of it, cleaned: a line, unless the member
// holds more.
std::string fit(std::string_view member, std::string_view text);

// Cleans every text in `value`, and the names of members that others chose: each
// as by fit(). `member` is the name of what `value` is in; empty: nothing.
void clean(nlohmann::ordered_json& value, std::string_view member);

}  // namespace dlcert
