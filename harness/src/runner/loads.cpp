// SPDX-License-Identifier: Apache-2.0
#include "runner/loads.hpp"

namespace dlcert {

namespace {

std::map<std::string, std::uint64_t>& loads() {
  static std::map<std::string, std::uint64_t> counts;
  return counts;
}

}  // namespace

void note_load(const std::string& path) {
  ++loads()[path];
}

const std::map<std::string, std::uint64_t>& adapter_loads() {
  return loads();
}

}  // namespace dlcert
