// SPDX-License-Identifier: Apache-2.0
//
// What others' code made of values of the variable, row by row (fixtures/vectors).

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

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

// Python knows more digits and blanks than ASCII has: such a row speaks of Python alone.
bool is_reference_only(const json& row) {
  const auto value = value_of(row);
  return value &&
         std::ranges::any_of(*value, [](char c) { return static_cast<unsigned char>(c) > 0x7f; });
}

json as_json(const ParseResult& result, bool as_decimal_strings) {
  if (std::holds_alternative<ParseError>(result)) return nullptr;
  json list = json::array();
  for (const VisibleDevice& device : std::get<VisibleDevices>(result)) {
    const auto* ordinal = std::get_if<Ordinal>(&device);
    if (ordinal == nullptr)
      list.push_back(std::get<std::string>(device));
    else if (as_decimal_strings)
      list.push_back(ordinal->digits());
    else
      list.push_back(ordinal->value());
  }
  return list;
}

// Does not count as the runtime does: a negative count stays one.
template <class Kind, class Rules>
json counts_of(World<Kind, Rules>& world, const std::vector<std::string>& uuids,
               const json& expected) {
  json counts = json::object();
  for (const auto& [devices, unused] : expected.items()) {
    const auto raw = static_cast<std::ptrdiff_t>(std::stoul(devices));
    world.devices({uuids.begin(), uuids.begin() + raw});
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

template <class Kind, class Rules>
void expect_row(const json& row, const json& uuids, Vendor vendor) {
  SCOPED_TRACE(row["value"].dump().substr(0, 100));
  World<Kind, Rules> world{vendor};
  const auto value = value_of(row);
  if (value) world.see(value->c_str());
  EXPECT_EQ(as_json(world.rules.visible_devices(), row.contains("parsed_are_decimal_strings")),
            row["parsed"]);
  EXPECT_EQ(counts_of(world, uuids.get<std::vector<std::string>>(), row["counts"]), row["counts"]);
}

TEST(VisibleDeviceVectors, AreReadAsTorchReadsThem) {
  const json vectors = read_vectors("visible_devices.json");
  Tally tally;
  for (const json& row : vectors["cases"]) {
    if (is_reference_only(row)) {
      ++tally.reference_only;
      continue;
    }
    ++tally.rows;
    if (row.contains("raises")) ++tally.raising;
    expect_row<Enumeration, VisibleDeviceRules>(row, vectors["uuids"], Vendor::cuda);
  }
  EXPECT_GE(tally.rows, 169u);
  EXPECT_GE(tally.raising, 14u);
  EXPECT_GE(tally.reference_only, 14u);
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
      return as_json(VisibleDevices{found.begin(), found.end()}, false);
    };
    EXPECT_EQ(ordinals(world.enumeration), row["expected"]);
    EXPECT_EQ(ordinals(rocm.enumeration), row["expected_hip_new"]);
    ++rows;
  }
  EXPECT_GE(rows, 40u);
}

}  // namespace
}  // namespace dlcert::cuda
