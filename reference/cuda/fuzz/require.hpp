// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace dlcert::cuda {

/// Ends the process, as a fuzzer wants it, unless `holds`.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "device fuzzer: expected %s\n", what.c_str());
  std::abort();
}

/// `message` has at most a list of devices in it: 16 texts of 60 characters.
inline void require_one_line(const std::string& message) {
  bool is_one = !message.empty() && message.size() < 1200;
  for (const char character : message)
    is_one = is_one && static_cast<unsigned char>(character) >= 0x20;
  require(is_one, "one short line but found '" + message + "'");
}

}  // namespace dlcert::cuda
