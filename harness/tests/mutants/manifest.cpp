// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace dlcert {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json row_of(const Mutant& mutant) {
  const mutants::Facts& facts = mutant.facts;
  ordered_json row{{"id", mutant.id}, {"area", mutant.area}};
  if (!facts.bug.empty()) row["bug"] = facts.bug;
  row["fault"] = facts.fault;
  row["must_fail"] = facts.must_fail;
  if (!facts.spec.empty()) row["spec"] = facts.spec;
  if (!facts.policies.empty()) row["policies"] = facts.policies;
  if (!facts.may_break.empty()) row["may_break"] = facts.may_break;
  return row;
}

Mutant mutant_of(const json& row) {
  using List = std::vector<std::string>;
  return {row.at("id"),
          row.at("area"),
          {.fault = row.at("fault"),
           .must_fail = row.at("must_fail"),
           .bug = row.value("bug", ""),
           .spec = row.value("spec", ""),
           .policies = row.value("policies", std::map<std::string, std::string>{}),
           .may_break = row.value("may_break", List{})}};
}

std::string on_one_line(const ordered_json& row) {
  std::string line;
  for (const char c : row.dump(0)) {
    if (c != '\n')
      line += c;
    else if (line.back() == ',')
      line += ' ';
  }
  return line;
}

}  // namespace

std::vector<std::string> Manifest::must_pass_of(const Mutant& mutant) const {
  std::vector<std::string> requirements = must_pass.at(mutant.area);
  std::erase_if(requirements, [&](const std::string& id) {
    return std::ranges::count(mutant.facts.must_fail, id) != 0 ||
           std::ranges::count(mutant.facts.may_break, id) != 0;
  });
  return requirements;
}

std::string to_text(const Manifest& manifest) {
  std::vector<std::string> areas, mutants;
  for (const auto& [area, must_pass] : manifest.must_pass)
    areas.push_back(fmt::format("    \"{}\": {}", area, on_one_line(must_pass)));
  for (const Mutant& mutant : manifest.mutants)
    mutants.push_back("    " + on_one_line(row_of(mutant)));
  return fmt::format(
      "{{\n  \"$schema\": \"manifest.schema.json\",\n  \"must_pass\": {{\n{}\n  }},\n"
      "  \"mutants\": [\n{}\n  ]\n}}\n",
      fmt::join(areas, ",\n"), fmt::join(mutants, ",\n"));
}

std::string read_text(const std::string& path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error{fmt::format("{}: cannot be read", path)};
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Manifest read_manifest(const std::string& path) {
  const std::string text = read_text(path);
  Manifest manifest;
  try {
    const json document = json::parse(text);
    manifest.must_pass = document.at("must_pass");
    for (const json& row : document.at("mutants"))
      manifest.mutants.push_back(mutant_of(row));
  } catch (const json::exception& error) {
    throw std::runtime_error{fmt::format("{}: {}", path, error.what())};
  }
  return manifest;
}

}  // namespace dlcert
