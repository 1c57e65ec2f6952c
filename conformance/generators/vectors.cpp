// SPDX-License-Identifier: Apache-2.0
#include "generators/vectors.hpp"

#include <initializer_list>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "generators/embedded_vectors.hpp"

namespace dlcert::vectors {

namespace {

// In the order of the file: that is faster to read than a map.
using Json = nlohmann::ordered_json;

// Read again each time: what is kept is in the memory of every case that has a process of its own.
Json file(std::string_view name) {
  return Json::parse(embedded_text(name));
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

template <typename Row, typename Read>
std::vector<Row> rows_of(const Json& list, const Read& read) {
  std::vector<Row> rows;
  for (const Json& entry : list)
    if (entry.at("kind") == "ascii") rows.push_back(read(entry));
  if (rows.empty()) throw std::logic_error{"vectors without a row"};
  return rows;
}

// A member of `row` as the last of these policies has it that has it at all.
const Json& under(const Json& row, std::initializer_list<const char*> policies,
                  const char* member) {
  const Json* told = &row.at(member);
  for (const char* const policy : policies) {
    const auto of_policy = row.at("policies").find(policy);
    if (of_policy == row.at("policies").end()) continue;
    if (const auto found = of_policy->find(member); found != of_policy->end()) told = &*found;
  }
  return *told;
}

VisibleRow visible_row(const Json& entry, std::initializer_list<const char*> policies) {
  VisibleRow row{entry.at("id"),
                 text_or_nothing(entry.at("value")),
                 texts(under(entry, policies, "parsed")),
                 {},
                 entry.at("policies").contains("sign-only-ends")};
  for (const auto& [devices, count] : under(entry, policies, "counts").items())
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

UuidRow uuid_row(const Json& entry, const Json& uuid_sets) {
  return {entry.at("id"), texts(entry.at("candidates")),
          texts(uuid_sets.at(entry.at("uuid_set").get<std::string>())),
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

struct Visible {
  std::vector<VisibleRow> on_cuda, on_rocm;
  std::vector<std::string> uuids;
};
const Visible& visible() {
  static const Visible all = [] {
    const Json read = file("visible_devices");
    const auto rows = [&](std::initializer_list<const char*> policies) {
      return rows_of<VisibleRow>(read.at("cases"),
                                 [&](const Json& entry) { return visible_row(entry, policies); });
    };
    return Visible{rows({"sign-only-ends"}), rows({"sign-only-ends", "torch-2.4-rocm"}),
                   texts(read.at("uuids"))};
  }();
  return all;
}

struct Uuids {
  std::vector<UuidRow> rows;
  std::vector<RawUuidRow> raw_rows;
};
const Uuids& uuids() {
  static const Uuids all = [] {
    const Json read = file("uuids");
    const auto row = [&](const Json& entry) { return uuid_row(entry, read.at("uuid_sets")); };
    return Uuids{rows_of<UuidRow>(read.at("cases"), row),
                 rows_of<RawUuidRow>(read.at("raw_buffers"), raw_uuid_row)};
  }();
  return all;
}

struct Management {
  std::vector<ManagementRow> rows;
  std::int64_t runtime_count;
};
const Management& management() {
  static const Management all = [] {
    const Json read = file("management");
    return Management{rows_of<ManagementRow>(read.at("cases"), management_row),
                      read.at("runtime_count")};
  }();
  return all;
}

}  // namespace

std::span<const VisibleRow> visible_rows(bool rocm) {
  return rocm ? visible().on_rocm : visible().on_cuda;
}

std::span<const std::string> visible_uuids() {
  return visible().uuids;
}

std::span<const RocmRow> rocm_rows() {
  static const auto rows = rows_of<RocmRow>(file("rocm_visible_devices").at("cases"), rocm_row);
  return rows;
}

std::span<const UuidRow> uuid_rows() {
  return uuids().rows;
}

std::span<const RawUuidRow> raw_uuid_rows() {
  return uuids().raw_rows;
}

std::span<const ManagementRow> management_rows() {
  return management().rows;
}

std::int64_t management_runtime_count() {
  return management().runtime_count;
}

}  // namespace dlcert::vectors
