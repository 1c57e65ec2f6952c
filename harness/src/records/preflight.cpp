// SPDX-License-Identifier: Apache-2.0
#include "records/preflight.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "register/json_reader.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"

namespace dlcert {

namespace {

using Json = nlohmann::json;

Json to_value(const TriedTensors& tried) {
  return {{"role", to_text(tried.role)}, {"device", tried.device}, {"layout", tried.layout},
          {"claimed", tried.claimed},    {"made", tried.made},     {"crossed", tried.crossed},
          {"untried", tried.untried},    {"lost", tried.lost}};
}

TriedTensors tried_from(const JsonReader& reader) {
  TriedTensors tried;
  tried.role = reader.at("role").parse(role_from_text);
  tried.device = reader.text_at("device");
  tried.layout = reader.text_at("layout");
  tried.claimed = reader.at("claimed").integer_as<std::uint64_t>();
  tried.made = reader.at("made").integer_as<std::uint64_t>();
  tried.crossed = reader.at("crossed").integer_as<std::uint64_t>();
  tried.untried = reader.at("untried").integer_as<std::uint64_t>();
  tried.lost = reader.text_at("lost");
  return tried;
}

}  // namespace

std::string to_json(const PreflightFindings& findings) {
  Json tried = Json::array();
  for (const TriedTensors& one : findings.tried)
    tried.push_back(to_value(one));
  const Json json{{"claims", findings.claims},
                  {"tried", std::move(tried)},
                  {"faults", findings.faults},
                  {"hints", findings.hints},
                  {"modules", findings.modules},
                  {"dlpack", findings.dlpack},
                  {"wrong_values", findings.wrong_values}};
  // Texts come from implementations: what is not UTF-8 is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PreflightFindings findings_from_json(std::string_view text) {
  try {
    const Json json = parse_json(text);
    const JsonReader reader{json};
    PreflightFindings findings;
    for (const auto& [role, kinds] : reader.at("claims").members())
      findings.claims[role] = kinds.texts();
    for (const JsonReader& one : reader.at("tried").items())
      findings.tried.push_back(tried_from(one));
    findings.faults = reader.at("faults").texts();
    findings.hints = reader.at("hints").texts();
    findings.modules = reader.at("modules").texts();
    findings.dlpack = reader.text_at("dlpack");
    for (const auto& [role, wrong] : reader.at("wrong_values").members())
      findings.wrong_values[role] = wrong.text();
    return findings;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error{fmt::format("preflight: {}", error.what())};
  }
}

}  // namespace dlcert
