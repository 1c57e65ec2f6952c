// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace dlcert::driver {

/// Parses `text` as recorded programs. Aborts the process unless that ends with one line
/// "file:line: expected ... but found ...", or with programs whose text gives them again.
void parse_what_text_says(std::string_view text);

}  // namespace dlcert::driver
