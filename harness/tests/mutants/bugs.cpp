// SPDX-License-Identifier: Apache-2.0
#include "bugs.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "manifest.hpp"

namespace dlcert {

std::vector<Bug> read_bugs(const std::string& path) {
  const std::string text = read_text(path);
  std::vector<Bug> bugs;
  try {
    for (const nlohmann::json& bug : nlohmann::json::parse(text))
      bugs.push_back({bug.at("id"), bug.at("area"), bug.value("not_planted", "")});
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error{fmt::format("{}: {}", path, error.what())};
  }
  return bugs;
}

}  // namespace dlcert
