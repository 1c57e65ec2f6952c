// SPDX-License-Identifier: Apache-2.0
//
// What others' code made of values of the variable, row by row (fixtures/vectors).

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/driver_rules.hpp"
#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/nvml.hpp"
#include "dlcert/cuda/visible_device_policies.hpp"

#include "fakes.hpp"

namespace dlcert::cuda {
namespace {

using driver::Vendor;
using nlohmann::json;

json read_vectors(const char* name) {
  std::ifstream file{std::string{DLCERT_VECTORS} + '/' + name};
  return json::parse(file);
}

std::optional<std::string> value_of(const json& row) {
  if (row["value"].is_null()) return std::nullopt;
  return row["value"].get<std::string>();
}

// Python's own answer, from which a port differs on purpose.
bool is_reference_only(const json& row) {
  return row["kind"] == "reference_only";
}

// The list with numbers as text, some of which fit no integer type; null for an error.
json as_texts(const VisibleDevices& devices) {
  json texts = json::array();
  for (const VisibleDevice& device : devices) {
    const auto* ordinal = std::get_if<Ordinal>(&device);
    texts.push_back(ordinal == nullptr ? std::get<std::string>(device) : ordinal->digits());
  }
  return texts;
}

json as_texts(const ParseResult& result) {
  const auto* devices = std::get_if<VisibleDevices>(&result);
  return devices == nullptr ? json{} : as_texts(*devices);
}

json as_texts(const json& list) {
  if (list.is_null()) return list;
  json texts = json::array();
  for (const json& element : list)
    texts.push_back(element.is_number() ? element.dump() : element.get<std::string>());
  return texts;
}

// Does not count as the runtime does: a negative count stays one.
template <class Kind, class Rules>
json counts_of(World<Kind, Rules>& world, const std::vector<std::string>& uuids,
               const json& expected) {
  json counts = json::object();
  for (const auto& [devices, unused] : expected.items()) {
    const std::size_t raw = std::stoul(devices);
    const std::span named = std::span{uuids}.first(std::min(raw, uuids.size()));
    world.devices({named.begin(), named.end()});
    world.management.count = static_cast<std::int64_t>(raw);
    try {
      counts[devices] = world.enumeration.management_device_count();
    } catch (const Error&) {
      counts[devices] = nullptr;
    }
  }
  return counts;
}

struct Tally {
  std::size_t rows = 0;
  std::size_t raising = 0;
  std::size_t reference_only = 0;
};

/// Who reads the values: the expectations of a row, changed where it says so for the policy.
struct Reader {
  const char* policy;
  Vendor vendor;
  const char* variable;
  const char* uuids;
};

template <class Kind, class Rules>
void expect_row(const Reader& reader, const json& row, const json& uuids) {
  SCOPED_TRACE(std::string{reader.policy} + ": " + row["value"].dump().substr(0, 100));
  World<Kind, Rules> world{reader.vendor};
  if (const auto value = value_of(row)) world.variables[reader.variable] = *value;
  EXPECT_EQ(as_texts(world.rules.visible_devices()), as_texts(row["parsed"]));
  if (std::ranges::find(row["counts"], "unknown") != row["counts"].end()) return;
  EXPECT_EQ(counts_of(world, uuids.get<std::vector<std::string>>(), row["counts"]), row["counts"]);
}

template <class Kind, class Rules>
Tally expect_rows(const Reader& reader) {
  const json vectors = read_vectors("visible_devices.json");
  Tally tally;
  for (json row : vectors["cases"]) {
    if (is_reference_only(row)) {
      ++tally.reference_only;
      continue;
    }
    ++tally.rows;
    if (row.contains("raises")) ++tally.raising;
    if (const json& policies = row["policies"]; policies.contains(reader.policy))
      row.update(json(policies[reader.policy]));
    expect_row<Kind, Rules>(reader, row, vectors[reader.uuids]);
  }
  return tally;
}

TEST(VisibleDeviceVectors, AreReadAsTorchReadsThem) {
  const Tally tally = expect_rows<Enumeration, VisibleDeviceRules>(
      {"torch-2.4", Vendor::cuda, "CUDA_VISIBLE_DEVICES", "uuids"});
  EXPECT_GE(tally.rows, 263u);
  EXPECT_GE(tally.raising, 14u);
  EXPECT_GE(tally.reference_only, 15u);
}

TEST(VisibleDeviceVectors, AreReadAsThePoliciesReadThem) {
  expect_rows<Enumeration, SignOnlyEnds<VisibleDeviceRules>>(
      {"sign-only-ends", Vendor::cuda, "CUDA_VISIBLE_DEVICES", "uuids"});
  expect_rows<Enumeration, VisibleDeviceRules>(
      {"torch-2.4-rocm", Vendor::rocm, "HIP_VISIBLE_DEVICES", "serials"});
  expect_rows<RocmUuidEnumeration, HipFallsBackToCuda>(
      {"rocm-uuids", Vendor::rocm, "HIP_VISIBLE_DEVICES", "serials"});
  expect_rows<RocmUuidEnumeration, HipFallsBackToCuda>(
      {"rocm-uuids", Vendor::rocm, "CUDA_VISIBLE_DEVICES", "serials"});
  expect_rows<RocmUuidEnumeration, RocrComposition>(
      {"rocr", Vendor::rocm, "ROCR_VISIBLE_DEVICES", "serials"});
}

template <class Kind, class Rules>
std::size_t expect_rocm_rows(const char* policy) {
  const json vectors = read_vectors("rocm_visible_devices.json");
  const auto serials = vectors["serials"].get<std::vector<std::string>>();
  std::size_t rows = 0;
  for (const json& row : vectors["cases"]) {
    SCOPED_TRACE(std::string{policy} + ": " + row["environment"].dump());
    if (is_reference_only(row)) continue;
    World<Kind, Rules> world{Vendor::rocm};
    for (const auto& [name, value] : row["environment"].items())
      if (!value.is_null()) world.variables[name] = value.template get<std::string>();
    const json& expected = row["policies"][policy];
    const ParseResult result = world.rules.visible_devices();
    EXPECT_EQ(as_texts(result), as_texts(expected["parsed"]));
    if (const auto* error = std::get_if<ParseError>(&result)) {
      const bool is_value = error->kind == ParseError::Kind::value;
      EXPECT_EQ(is_value ? "ValueError" : "RuntimeError", expected["raises"]);
    }
    EXPECT_EQ(counts_of(world, serials, expected["counts"]), expected["counts"]);
    ++rows;
  }
  return rows;
}

TEST(RocmVariableVectors, AreReadAsEachVersionReadsThem) {
  EXPECT_GE((expect_rocm_rows<Enumeration, VisibleDeviceRules>("torch-2.4")), 40u);
  EXPECT_GE((expect_rocm_rows<Enumeration, HipFallsBackToCuda>("torch-2.5")), 40u);
  EXPECT_GE((expect_rocm_rows<RocmUuidEnumeration, RocrComposition>("torch-2.6")), 40u);
}

// The physical devices of an ordinal or identifier list, ended where one does not exist.
json existing(const Enumeration& enumeration, const VisibleDevices& devices,
              std::span<const std::string> uuids) {
  if (devices.empty()) return json::array();
  std::vector<Ordinal> ordinals;
  if (std::holds_alternative<std::string>(devices.front())) {
    ordinals = enumeration.uuids_to_ordinals(devices, uuids);
  } else {
    for (const VisibleDevice& device : devices) {
      if (std::get<Ordinal>(device).value() >= uuids.size()) break;
      ordinals.push_back(std::get<Ordinal>(device));
    }
  }
  return as_texts(VisibleDevices{ordinals.begin(), ordinals.end()});
}

TEST(VisibleDeviceVectors, AreReadAsTheDriverIsDocumentedToReadThem) {
  const json vectors = read_vectors("visible_devices.json");
  const auto texts = vectors["uuids"].get<std::vector<std::string>>();
  const std::span uuids{texts};
  const World<> world;
  std::size_t rows = 0;
  for (const json& row : vectors["cases"]) {
    SCOPED_TRACE(row["value"].dump().substr(0, 100));
    const json& expected = row["policies"]["driver"]["devices"];
    for (const std::size_t count : {2u, 8u}) {
      const DriverRules rules{count};
      const json& devices = expected.is_object() ? expected[std::to_string(count)] : expected;
      if (devices == "unknown") {
        EXPECT_FALSE(rules.is_documented(value_of(row)));
        continue;
      }
      if (!rules.is_documented(value_of(row))) continue;
      ++rows;
      const VisibleDevices parsed = devices_or_throw(rules.parse(value_of(row)));
      EXPECT_EQ(existing(world.enumeration, parsed, uuids.first(count)), as_texts(devices));
    }
  }
  EXPECT_GE(rows, 300u);
}

TEST(UuidVectors, AreMatchedAsTorchMatchesThem) {
  const json vectors = read_vectors("uuids.json");
  const World<> world;
  const World<RocmUuidEnumeration> rocm{Vendor::rocm};
  std::size_t rows = 0;
  for (const json& row : vectors["cases"]) {
    SCOPED_TRACE(row["candidates"].dump());
    const auto texts = row["candidates"].get<std::vector<std::string>>();
    const VisibleDevices candidates{texts.begin(), texts.end()};
    const auto uuids =
        vectors["uuid_sets"][row["uuid_set"].get<std::string>()].get<std::vector<std::string>>();
    const auto ordinals = [&](const Enumeration& enumeration) {
      const auto found = enumeration.uuids_to_ordinals(candidates, uuids);
      return as_texts(VisibleDevices{found.begin(), found.end()});
    };
    EXPECT_EQ(ordinals(world.enumeration), as_texts(row["expected"]));
    EXPECT_EQ(ordinals(rocm.enumeration), as_texts(row["expected_hip_new"]));
    ++rows;
  }
  EXPECT_GE(rows, 70u);
}

class UuidReader : public Nvml {
 public:
  using Nvml::uuid_text;
};

TEST(UuidVectors, AreTakenFromBuffersAsTorchTakesThem) {
  const json vectors = read_vectors("uuids.json");
  const UuidReader reader;
  std::size_t rows = 0;
  for (const json& row : vectors["raw_buffers"]) {
    const auto hex = row["hex"].get<std::string>();
    SCOPED_TRACE(hex);
    // What is no ASCII is refused behind this step (NvmlLibrary.IsNotBelievedWhatCannotBe).
    if (is_reference_only(row) || row.contains("raises")) continue;
    std::string buffer;
    for (std::size_t i = 0; i < hex.size(); i += 2)
      buffer += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    EXPECT_EQ(reader.uuid_text(buffer), row["text"]);
    ++rows;
  }
  EXPECT_GE(rows, 3u);
}

DeviceArgument argument_of(const json& argument) {
  const auto type = argument["type"].get<std::string>();
  if (type == "none") return {};
  if (type == "string") return argument["text"].get<std::string>();
  if (type == "integer") return argument["index"].get<std::int64_t>();
  const std::string device_type = type == "guard" ? "cuda" : argument["device_type"];
  const json& index = argument["index"];
  return Device{device_type, index.is_null() ? std::nullopt : std::optional{index.get<int>()}};
}

json resolved(const DeviceArgument& argument, MissingIndex missing) {
  constexpr std::int64_t current = 987;
  try {
    const std::int64_t index = device_index(argument, missing, [] { return current; });
    return index == current ? json{{"current", true}} : json{{"index", index}};
  } catch (const ValueError&) {
    return {{"error", "value"}};
  } catch (const RuntimeError&) {
    return {{"error", "runtime"}};
  }
}

TEST(DeviceArgumentVectors, AreResolvedAsTorchResolvesThem) {
  const json vectors = read_vectors("device_strings.json");
  std::size_t rows = 0;
  for (const json& row : vectors["cases"]) {
    SCOPED_TRACE(row["argument"].dump());
    const DeviceArgument argument = argument_of(row["argument"]);
    EXPECT_EQ(resolved(argument, MissingIndex::means_current), row["where_optional"]);
    EXPECT_EQ(resolved(argument, MissingIndex::forbidden), row["where_required"]);
    ++rows;
  }
  EXPECT_GE(rows, 48u);
}

}  // namespace
}  // namespace dlcert::cuda
