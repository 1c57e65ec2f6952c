// SPDX-License-Identifier: Apache-2.0
//
// The JSON of jobs, records and inventories. Members are named as in job.hpp; all must be there but
// the optional ones.
#include <fmt/format.h>

#include <array>
#include <concepts>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "records/job.hpp"
#include "register/enum_texts.hpp"
#include "register/json_reader.hpp"
#include "register/text.hpp"

// Code, bits and lanes from the highest byte: a library may claim thousands of types.
static std::uint32_t number_of(const dlcert_dtype& dtype) {
  return std::uint32_t{dtype.code} << 24 | std::uint32_t{dtype.bits} << 16 | dtype.lanes;
}

template <>
struct nlohmann::adl_serializer<dlcert_dtype> {
  static void to_json(nlohmann::json& json, const dlcert_dtype& dtype) { json = number_of(dtype); }
  static void from_json(const nlohmann::json& json, dlcert_dtype& dtype) {
    const auto number = dlcert::JsonReader{json}.integer_as<std::uint32_t>();
    dtype = {static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
             static_cast<std::uint16_t>(number)};
  }
};

template <>
struct nlohmann::adl_serializer<dlcert_device> {
  static void to_json(nlohmann::json& json, const dlcert_device& device) {
    json = {device.type, device.id};
  }
  static void from_json(const nlohmann::json& json, dlcert_device& device) {
    const std::vector<dlcert::JsonReader> parts = dlcert::JsonReader{json}.items();
    if (parts.size() != 2) throw std::runtime_error{"device: expected type and id"};
    device = {parts[0].integer_as<std::int32_t>(), parts[1].integer_as<std::int32_t>()};
  }
};

namespace dlcert {

using Json = nlohmann::json;

namespace {

constexpr std::array<std::string_view, 3> platform_texts{"any", "cuda", "rocm"};
constexpr std::array<std::string_view, 5> mode_texts{"describe", "run", "shrink", "preflight",
                                                     "load"};

}  // namespace

std::string_view to_text(Platform platform) {
  return platform_texts.at(static_cast<std::size_t>(platform));
}

Platform platform_from_text(std::string_view text) {
  return enum_from_text<Platform>(text, platform_texts, "platform");
}

// Not by NLOHMANN_JSON_SERIALIZE_ENUM, which takes an unknown text for the first value.
static void to_json(Json& json, Role role) {
  json = to_text(role);
}
static void from_json(const Json& json, Role& role) {
  role = role_from_text(json.get<std::string>());
}
static void to_json(Json& json, const AdapterSource& source) {
  json = source.path;
  if (source.named())
    json = {{"path", source.path},
            {"module", source.module},
            {"name", source.name},
            {"interpreter", source.interpreter}};
}
static void from_json(const Json& json, AdapterSource& source) {
  source = json.is_string() ? AdapterSource{json.get<std::string>()}
                            : AdapterSource{json.at("path"), json.at("module"), json.at("name"),
                                            json.at("interpreter")};
}
static void to_json(Json& json, Platform platform) {
  json = to_text(platform);
}
static void from_json(const Json& json, Platform& platform) {
  platform = platform_from_text(json.get<std::string>());
}
static void to_json(Json& json, Job::Mode mode) {
  json = mode_texts.at(static_cast<std::size_t>(mode));
}
static void from_json(const Json& json, Job::Mode& mode) {
  mode = enum_from_text<Job::Mode>(json.get<std::string>(), mode_texts, "mode");
}

namespace {

template <typename T, typename Wanted>
concept OneOf = std::same_as<std::remove_const_t<T>, Wanted>;

// The members of each struct with their names: writing and reading go through the same list.

template <typename Visit>
void members(Visit&& visit, OneOf<Settings> auto& settings) {
  visit("spec", settings.spec);
  visit("array_api", settings.array_api);
  visit("runtime", settings.runtime);
  visit("driver", settings.driver);
  visit("policies", settings.policies);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Unit> auto& unit) {
  visit("check", unit.check);
  visit("producer", unit.producer);
  visit("consumer", unit.consumer);
  visit("seed", unit.seed);
  visit("platform", unit.platform);
  visit("cases", unit.cases);
  visit("spread_over", unit.spread_over);
  visit("process_per_case", unit.process_per_case);
  visit("only_case", unit.only_case);
  visit("choices", unit.choices);
  visit("without", unit.without);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Job> auto& job) {
  visit("mode", job.mode);
  visit("adapters", job.adapters);
  visit("described", job.described);
  visit("settings", job.settings);
  visit("units", job.units);
  visit("platform", job.platform);
  visit("units_per_worker", job.units_per_worker);
  visit("explain", job.explain);
  visit("case_seconds", job.case_seconds);
  visit("load_each_candidate", job.load_each_candidate);
  visit("shrink_candidates", job.shrink_candidates);
  visit("shrink_seconds", job.shrink_seconds);
  visit("only_device_claims", job.only_device_claims);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Counterexample> auto& example) {
  visit("choices", example.choices);
  visit("case_index", example.case_index);
  visit("size", example.size);
  visit("steps", example.steps);
  visit("trace", example.trace);
  visit("program", example.program);
  visit("recording", example.recording);
}

template <typename Visit>
void members(Visit&& visit, OneOf<EvidenceCounts> auto& evidence) {
  visit("made", evidence.made);
  visit("handed_over", evidence.handed_over);
  visit("found", evidence.found);
  visit("by_export", evidence.by_export);
}

template <typename Visit>
void members(Visit&& visit, OneOf<UnitRecord> auto& record) {
  visit("inapplicable", record.inapplicable);
  visit("requested", record.requested);
  visit("cases", record.cases);
  visit("met", record.met);
  visit("devices", record.devices);
  visit("declined", record.declined);
  visit("not_judged", record.not_judged);
  visit("inconclusive", record.inconclusive);
  visit("unclaimed", record.unclaimed);
  visit("no_tensor", record.no_tensor);
  visit("not_formable", record.not_formable);
  visit("discarded", record.discarded);
  visit("why_inconclusive", record.why_inconclusive);
  visit("what_unclaimed", record.what_unclaimed);
  visit("why_declined", record.why_declined);
  visit("limits", record.limits);
  visit("evidence", record.evidence);
  visit("failed", record.failed);
  visit("message", record.message);
  visit("expected", record.expected);
  visit("found", record.found);
  visit("owners", record.owners);
  visit("inputs", record.inputs);
  visit("signature", record.signature);
  visit("frames", record.frames);
  visit("counterexample", record.counterexample);
  visit("happened_once", record.happened_once);
  visit("wrong_values", record.wrong_values);
  visit("nanoseconds", record.nanoseconds);
  visit("observations", record.observations);
  visit("warnings", record.warnings);
  visit("parts", record.parts);
  visit("part_texts", record.part_texts);
}

template <typename Visit>
void members(Visit&& visit, OneOf<CheckInfo> auto& check) {
  visit("requirement", check.requirement);
  visit("name", check.name);
  visit("sentence", check.sentence);
  visit("role", check.role);
  visit("rows", check.rows);
  visit("needs", check.needs);
  visit("own_process", check.own_process);
  visit("process_per_case", check.process_per_case);
  visit("processes", check.processes);
  visit("platform", check.platform);
  visit("device_tensors", check.device_tensors);
  visit("one_in", check.one_in);
  visit("fact", check.fact);
  visit("pair", check.pair);
}

template <typename Visit>
void members(Visit&& visit, OneOf<ClaimedTensors> auto& tensors) {
  visit("devices", tensors.devices);
  visit("dtypes", tensors.dtypes);
  visit("flags", tensors.flags);
  visit("shape", tensors.shape);
  visit("extents", tensors.extents);
  visit("layouts", tensors.layouts);
}

template <typename Visit>
void members(Visit&& visit, OneOf<AdapterInfo> auto& adapter) {
  visit("path", adapter.path);
  visit("name", adapter.name);
  visit("version", adapter.version);
  visit("dlpack", adapter.declared.dlpack);
  visit("array_api", adapter.declared.array_api);
  visit("runtime", adapter.declared.runtime);
  visit("producer", adapter.producer);
  visit("consumer", adapter.consumer);
  visit("enumerates", adapter.enumerates);
  visit("properties", adapter.properties);
  visit("offers", adapter.offers);
  visit("fork_hooks", adapter.fork_hooks);
  visit("groups", adapter.groups);
  visit("no_tensors_on", adapter.no_tensors_on);
  visit("tensors", adapter.tensors);
  visit("note", adapter.note);
  visit("error", adapter.error);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Inventory> auto& inventory) {
  visit("checks", inventory.checks);
  visit("adapters", inventory.adapters);
  visit("build", inventory.build);
  visit("modules", inventory.modules);
}

}  // namespace

template <typename T>
concept Described = std::same_as<T, Settings> || std::same_as<T, Unit> || std::same_as<T, Job> ||
    std::same_as<T, Counterexample> || std::same_as<T, EvidenceCounts> ||
    std::same_as<T, UnitRecord> || std::same_as<T, CheckInfo> || std::same_as<T, ClaimedTensors> ||
    std::same_as<T, AdapterInfo> || std::same_as<T, Inventory>;

template <Described T>
void to_json(Json& json, const T& value) {
  json = Json::object();
  members(
      [&json]<typename Member>(const char* name, const Member& member) {
        if constexpr (requires { member.has_value(); }) {
          if (member) json[name] = *member;
        } else {
          json[name] = member;
        }
      },
      value);
}

namespace {

// Not by get(), which casts numbers that do not fit, and takes true for 1.
template <typename T>
void read(const JsonReader& reader, T& value) {
  if constexpr (std::same_as<T, bool>)
    value = reader.boolean();
  else if constexpr (std::integral<T>)
    value = reader.integer_as<T>();
  else
    reader.value().get_to(value);
}
template <typename T>
void read(const JsonReader& reader, std::vector<T>& items) {
  items.clear();
  for (const JsonReader& item : reader.items())
    read(item, items.emplace_back());
}
template <typename T>
void read(const JsonReader& reader, std::map<std::string, T>& map) {
  for (const auto& [key, value] : reader.members())
    read(value, map[key]);
}

}  // namespace

template <Described T>
void from_json(const Json& json, T& value) {
  const JsonReader reader{json};
  members(
      [&reader]<typename Member>(const char* name, Member& member) {
        if constexpr (requires { member.has_value(); }) {
          if (const auto found = reader.find(name)) read(*found, member.emplace());
        } else {
          read(reader.at(name), member);
        }
      },
      value);
}

namespace {

template <typename T>
std::string write(const T& value) {
  // Texts come from implementations: what is not UTF-8 is replaced.
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
T read(std::string_view text, const char* what) {
  try {
    return Json::parse(text).get<T>();
  } catch (const std::exception& error) {
    throw std::runtime_error{fmt::format("{}: {}", what, error.what())};
  }
}

// ---- what implementations say is cleaned where it comes in --------------------------------------

void clean_each(std::vector<std::string>& lines, std::size_t longest = longest_line) {
  for (std::string& line : lines)
    line = one_line(line, longest);
}

template <typename Value>
void clean_keys(std::map<std::string, Value>& values) {
  std::map<std::string, Value> clean;
  for (auto& [key, value] : values)
    clean.insert_or_assign(one_line(key, longest_name), std::move(value));
  values = std::move(clean);
}

UnitRecord cleaned(UnitRecord record) {
  for (std::string* const line :
       {&record.inapplicable, &record.why_inconclusive, &record.what_unclaimed, &record.expected,
        &record.found, &record.signature, &record.frames, &record.wrong_values})
    *line = one_line(*line);
  record.message = clean_lines(record.message);
  clean_keys(record.observations);
  clean_each(record.warnings);
  clean_each(record.owners);
  clean_keys(record.part_texts);
  for (auto& [part, text] : record.part_texts)
    text = one_line(text);
  if (record.counterexample) {
    clean_each(record.counterexample->trace);
    clean_each(record.counterexample->program, longest_text);
    clean_each(record.counterexample->recording, longest_text);
  }
  return record;
}

Inventory cleaned(Inventory inventory) {
  for (AdapterInfo& adapter : inventory.adapters)
    adapter = cleaned(std::move(adapter));
  return inventory;
}

}  // namespace

// The path stays what it is: it is opened again.
AdapterInfo cleaned(AdapterInfo adapter) {
  Standards& declared = adapter.declared;
  for (std::string* const name :
       {&adapter.name, &adapter.version, &declared.dlpack, &declared.array_api, &declared.runtime})
    *name = one_line(*name, longest_name);
  adapter.note = one_line(adapter.note);
  adapter.error = one_line(adapter.error);
  clean_keys(adapter.groups);
  for (auto& [group, functions] : adapter.groups)
    clean_each(functions, longest_name);
  return adapter;
}

std::string to_json(const Job& job) {
  return write(job);
}

Job job_from_json(std::string_view text) {
  return read<Job>(text, "job");
}

std::string to_json(const UnitRecord& record) {
  return write(cleaned(record));
}

UnitRecord record_from_json(std::string_view text) {
  return cleaned(read<UnitRecord>(text, "record"));
}

std::string to_json(const Inventory& inventory) {
  return write(cleaned(inventory));
}

Inventory inventory_from_json(std::string_view text) {
  return cleaned(read<Inventory>(text, "inventory"));
}

}  // namespace dlcert
