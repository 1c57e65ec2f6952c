// SPDX-License-Identifier: Apache-2.0
//
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dlcert {

// All throw std::runtime_error, one line that names the path and the reason.

// Replaces `path` by a file with this text, by rename: a reader sees the old file or the new one.
void write_file(const std::filesystem::path& path, std::string_view text);

// Makes sure that write_file will find a place, before any work is done for it. Leaves the file
// that is there.
void require_writable(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);

}  // namespace dlcert
