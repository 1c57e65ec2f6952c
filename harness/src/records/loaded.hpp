// SPDX-License-Identifier: Apache-2.0
//
// Job::Mode::load: whether adapters can live in one process, and what of each was loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// An adapter that a worker has loaded beside others.
struct LoadedAdapter {
  // Of a library in Python the file of its package, else the adapter's module.
  std::string file;
  // Of a library in Python the statements that import it, in one line; else empty.
  std::string imports;
};

// In the order of Job::adapters.
using LoadedTogether = std::vector<LoadedAdapter>;

// As the functions of job.hpp.
std::string to_json(const LoadedTogether& loaded);
LoadedTogether loaded_from_json(std::string_view text);

}  // namespace dlcert
