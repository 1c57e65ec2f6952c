// SPDX-License-Identifier: Apache-2.0
#include "generators/vectors.hpp"

#include <array>
#include <map>
#include <span>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "generators/embedded_vectors.hpp"

namespace dlcert::vectors {

namespace {

using Json = nlohmann::json;

// Never destroyed, which would take as long as reading.
const Json& file(std::string_view name) {
  static auto& read = *new std::map<std::string_view, Json>;
  const auto [found, is_new] = read.try_emplace(name);
  if (is_new) found->second = Json::parse(embedded_text(name));
  return found->second;
}

std::optional<std::string> text_or_nothing(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional{value.get<std::string>()};
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> made;
  for (const Json& entry : list)
    made.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
  return made;
}

template <typename Row>
std::vector<Row> rows_of(std::string_view name, Row (*read)(const Json&),
                         const char* list = "cases") {
  std::vector<Row> rows;
  for (const Json& entry : file(name).at(list))
    if (entry.at("kind") == "ascii") rows.push_back(read(entry));
  if (rows.empty()) throw std::logic_error{"vectors without a row"};
  return rows;
}

// A member of `row` as the first of the policies that says something of it has it.
const Json& under(std::span<const char* const> policies, const Json& row, const char* member) {
  for (const char* const policy : policies) {
    const auto found = row.at("policies").find(policy);
    if (found != row.at("policies").end() && found->contains(member)) return found->at(member);
  }
  return row.at(member);
}

VisibleRow visible_row(const Json& entry, bool rocm) {
  static constexpr std::array policies{"torch-2.4-rocm", "sign-only-ends"};
  const auto told = [&](const char* member) -> const Json& {
    return under(std::span{policies}.subspan(rocm ? 0 : 1), entry, member);
  };
  VisibleRow row{told("id"),
                 text_or_nothing(told("value")),
                 texts(told("parsed")),
                 {},
                 entry.at("policies").contains("sign-only-ends")};
  for (const auto& [devices, count] : told("counts").items())
    row.counts.emplace(std::stoi(devices), count.get<std::int64_t>());
  return row;
}

RocmRow rocm_row(const Json& entry) {
  RocmRow row{entry.at("id"), {}, texts(entry.at("policies").at("torch-2.4").at("parsed")), {}};
  for (const auto& [name, value] : entry.at("environment").items())
    row.environment.emplace(name, text_or_nothing(value));
  const Json& current = entry.at("policies").at("torch-2.6").at("parsed");
  if (!current.is_null()) row.current = texts(current);
  return row;
}

UuidRow uuid_row(const Json& entry) {
  const Json& uuids = file("uuids").at("uuid_sets").at(entry.at("uuid_set").get<std::string>());
  return {entry.at("id"), texts(entry.at("candidates")), texts(uuids),
          entry.at("expected").get<std::vector<std::int64_t>>()};
}

RawUuidRow raw_uuid_row(const Json& entry) {
  return {entry.at("id"), entry.at("hex"), text_or_nothing(entry.at("text"))};
}

ManagementLibrary library_of(const std::string& name) {
  if (name == "missing") return ManagementLibrary::absent;
  return name == "lacking" ? ManagementLibrary::lacking : ManagementLibrary::stand_in;
}

ManagementRow management_row(const Json& entry) {
  ManagementRow row;
  row.id = entry.at("id");
  row.rocm = entry.at("vendor") == "rocm";
  row.library = library_of(entry.at("library"));
  for (const std::string& setting : texts(entry.at("settings")))
    row.settings += (row.settings.empty() ? "" : ";") + setting;
  row.raw_count = entry.at("raw_count");
  row.raw_count_warns = entry.at("raw_count_warns");
  if (!entry.at("raw_uuids").is_null()) row.raw_uuids = texts(entry.at("raw_uuids"));
  row.raw_uuids_warns = entry.at("raw_uuids_warns");
  for (const Json& count : entry.at("device_counts"))
    row.counts.push_back({text_or_nothing(count.at("value")), count.at("device_count"),
                          count.at("asks_runtime"), count.at("warns")});
  return row;
}

}  // namespace

std::span<const VisibleRow> visible_rows(bool rocm) {
  if (rocm) {
    static const auto on_rocm = rows_of<VisibleRow>(
        "visible_devices", [](const Json& entry) { return visible_row(entry, true); });
    return on_rocm;
  }
  static const auto on_cuda = rows_of<VisibleRow>(
      "visible_devices", [](const Json& entry) { return visible_row(entry, false); });
  return on_cuda;
}

std::span<const std::string> visible_uuids() {
  static const auto uuids = texts(file("visible_devices").at("uuids"));
  return uuids;
}

std::span<const RocmRow> rocm_rows() {
  static const auto rows = rows_of<RocmRow>("rocm_visible_devices", rocm_row);
  return rows;
}

std::span<const UuidRow> uuid_rows() {
  static const auto rows = rows_of<UuidRow>("uuids", uuid_row);
  return rows;
}

std::span<const RawUuidRow> raw_uuid_rows() {
  static const auto rows = rows_of<RawUuidRow>("uuids", raw_uuid_row, "raw_buffers");
  return rows;
}

std::span<const ManagementRow> management_rows() {
  static const auto rows = rows_of<ManagementRow>("management", management_row);
  return rows;
}

std::int64_t management_runtime_count() {
  return file("management").at("runtime_count");
}

}  // namespace dlcert::vectors
