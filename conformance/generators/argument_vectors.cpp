// SPDX-License-Identifier: Apache-2.0
#include "generators/argument_vectors.hpp"

#include <dlpack/dlpack.h>

#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <dlcert/suite/spec.hpp>
#include <nlohmann/json.hpp>

#include "generators/embedded_vectors.hpp"

namespace dlcert::vectors {

namespace {

using Json = nlohmann::ordered_json;

Meaning meaning_of(const Json& told) {
  if (told.contains("index")) return {.index = told.at("index").get<std::int64_t>()};
  if (told.contains("current")) return {.current = true};
  const std::string error = told.at("error");
  if (error == "value") return {.error = DLCERT_ERROR_VALUE};
  if (error == "runtime") return {.error = DLCERT_ERROR_RUNTIME};
  throw std::logic_error{"device_strings.json: unknown error " + error};
}

// The DLPack device type of what PyTorch calls by `name`.
DLDeviceType device_type_of(const std::string& name) {
  static const std::map<std::string_view, DLDeviceType> types{
      {"cpu", kDLCPU},   {"cuda", kDLCUDA},  {"opencl", kDLOpenCL}, {"vulkan", kDLVulkan},
      {"mps", kDLMetal}, {"xpu", kDLOneAPI}, {"maia", kDLMAIA},     {"privateuseone", kDLExtDev}};
  const auto found = types.find(name);
  if (found == types.end())
    throw std::logic_error{"device_strings.json: unknown device type " + name};
  return found->second;
}

dlcert_value value_of(const Json& told) {
  const std::string type = told.at("type");
  if (type == "none") return none();
  if (type == "integer") return integer(told.at("index"));
  if (type == "string") return text("");
  if (type == "guard") {
    dlcert_value guard{};
    guard.tag = DLCERT_GUARD;
    guard.first = told.at("index");
    return guard;
  }
  const Json& index = told.at("index");
  return pair(device_type_of(told.at("device_type")),
              index.is_null() ? -1 : index.get<std::int64_t>());
}

std::vector<ArgumentRow> read_rows() {
  std::vector<ArgumentRow> rows;
  const Json document = Json::parse(embedded_text("device_strings"));
  for (const Json& entry : document.at("cases")) {
    const Json& argument = entry.at("argument");
    const std::string text = argument.contains("text") ? argument.at("text") : Json("");
    if (entry.at("kind") != "ascii" || text.find('\0') != std::string::npos) continue;
    rows.push_back({entry.at("id"), text, value_of(argument),
                    meaning_of(entry.at("where_optional")),
                    meaning_of(entry.at("where_required"))});
  }
  return rows;
}

}  // namespace

dlcert_value argument_of(const ArgumentRow& row, bool rocm) {
  dlcert_value argument = row.argument;
  if (argument.tag == DLCERT_TEXT) argument.text = row.text.c_str();
  if (argument.tag == DLCERT_PAIR && argument.first == kDLCUDA && rocm) argument.first = kDLROCM;
  return argument;
}

std::span<const ArgumentRow> argument_rows() {
  static const std::vector<ArgumentRow> rows = read_rows();
  return rows;
}

}  // namespace dlcert::vectors
