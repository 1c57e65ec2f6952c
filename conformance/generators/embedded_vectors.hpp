// SPDX-License-Identifier: Apache-2.0
//
// Files of fixtures/vectors that are compiled into the worker as text, by their names without
// ".json".
#pragma once

#include <span>
#include <string_view>

namespace dlcert::vectors {

struct EmbeddedFile {
  std::string_view name, text;
};
std::span<const EmbeddedFile> embedded_files();

// The text of one of them; empty when it is not there.
std::string_view embedded_text(std::string_view name);

}  // namespace dlcert::vectors
