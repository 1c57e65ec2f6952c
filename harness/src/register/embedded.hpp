// SPDX-License-Identifier: Apache-2.0
//
// Files of the project that are compiled into the program as text: requirements/<area>.json,
// policies.json and features.json always; bugs.json and manifest.json (the planted faults) for
// `explain`; sha256, the digest of all these in hex.
#pragma once

#include <span>
#include <string_view>

namespace dlcert {

struct EmbeddedFile {
  std::string_view name, text;
};
std::span<const EmbeddedFile> embedded_files();

// The text of one of them; empty when it is not there.
std::string_view embedded_text(std::string_view name);

}  // namespace dlcert
