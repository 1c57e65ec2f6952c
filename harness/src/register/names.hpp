// SPDX-License-Identifier: Apache-2.0
//
// Names that people type: globs, and the name that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dlcert {

// `pattern` with * (any text, dots too) and ? (any character) covers all of `text`.
bool matches_glob(std::string_view pattern, std::string_view text);
bool is_glob(std::string_view pattern);

// The known name with the fewest edits from `name`, if they are few enough to be a slip; empty
// otherwise.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

// "did you mean 'x'?" with a leading ", ", or nothing.
std::string did_you_mean(std::string_view nearest);

// Items with ", " between them; "none" for no item.
std::string join(std::span<const std::string> items);

}  // namespace dlcert
