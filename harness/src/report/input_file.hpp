// SPDX-License-Identifier: Apache-2.0
//
// Files that people give: read as a whole, if they are files and no larger than sense.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace dlcert {

inline constexpr std::size_t most_waivers = std::size_t{4} << 20;          // bytes of a file
inline constexpr std::size_t most_counterexample = std::size_t{64} << 20;  // bytes of a file
inline constexpr std::size_t most_results = std::size_t{1} << 30;          // bytes of a file

// Throws std::runtime_error, one line that names the file, for what cannot be read, is no regular
// file (never waits for one to be written) or has more than `most` bytes.
std::string read_input(const std::filesystem::path& path, std::size_t most);

}  // namespace dlcert
