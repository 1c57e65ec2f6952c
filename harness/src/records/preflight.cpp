// SPDX-License-Identifier: Apache-2.0
#include "records/preflight.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include <nlohmann/json.hpp>

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

TriedTensors tried_from(const Json& json) {
  TriedTensors tried;
  tried.role = role_from_text(json.at("role").get<std::string>());
  json.at("device").get_to(tried.device);
  json.at("layout").get_to(tried.layout);
  json.at("claimed").get_to(tried.claimed);
  json.at("made").get_to(tried.made);
  json.at("crossed").get_to(tried.crossed);
  json.at("untried").get_to(tried.untried);
  json.at("lost").get_to(tried.lost);
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
                  {"modules", findings.modules}};
  // Texts come from implementations: what is not UTF-8 is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PreflightFindings findings_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    PreflightFindings findings;
    json.at("claims").get_to(findings.claims);
    for (const Json& one : json.at("tried"))
      findings.tried.push_back(tried_from(one));
    json.at("faults").get_to(findings.faults);
    json.at("hints").get_to(findings.hints);
    json.at("modules").get_to(findings.modules);
    return findings;
  } catch (const std::exception& error) {
    throw std::runtime_error{fmt::format("preflight: {}", error.what())};
  }
}

}  // namespace dlcert
