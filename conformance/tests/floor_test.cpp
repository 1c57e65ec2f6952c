// SPDX-License-Identifier: Apache-2.0
//
// The floor: each property that today's DLPack tests check is in our register, or it is said which
// area will hold it.

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "register/register.hpp"

namespace dlcert {
namespace {

nlohmann::json load_floor() {
  std::ifstream file{DLCERT_FLOOR};
  return nlohmann::json::parse(file);
}

bool is_an_area(const nlohmann::json& floor, const std::string& name) {
  if (floor.at("later_areas").contains(name)) return true;
  const auto entries = Register::embedded().requirements();
  return std::ranges::any_of(entries, [&](const Requirement& entry) { return entry.area == name; });
}

TEST(Floor, ListsEveryPropertyOnce) {
  const nlohmann::json floor = load_floor();
  std::set<int> numbers;
  for (const auto& property : floor.at("properties")) {
    EXPECT_TRUE(numbers.insert(property.at("p").get<int>()).second) << property;
    EXPECT_FALSE(property.at("property").get<std::string>().empty()) << property;
  }
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(*numbers.begin(), 1);
  EXPECT_EQ(*numbers.rbegin(), static_cast<int>(numbers.size())) << "none is left out";
}

TEST(Floor, MapsEveryPropertyToARequirementOrAnArea) {
  const nlohmann::json floor = load_floor();
  for (const auto& property : floor.at("properties")) {
    const auto requirements = property.value("requirements", std::vector<std::string>{});
    const auto area = property.value("area", std::string{});
    EXPECT_TRUE(!requirements.empty() || !area.empty()) << property;
    for (const std::string& id : requirements)
      EXPECT_NE(Register::embedded().find(id), nullptr)
          << "property " << property.at("p") << ": " << id;
    if (!area.empty()) {
      EXPECT_TRUE(is_an_area(floor, area)) << "property " << property.at("p") << ": " << area;
    }
  }
}

// What only Python can form is not held by a C-level suite: such a property says so.
TEST(Floor, NamesAnAreaForWhatNoRequirementTestsInC) {
  const nlohmann::json floor = load_floor();
  for (const auto& property : floor.at("properties")) {
    if (property.contains("area")) continue;
    const auto requirements = property.at("requirements").get<std::vector<std::string>>();
    EXPECT_TRUE(std::ranges::any_of(requirements, [](const std::string& id) {
      const Requirement* known = Register::embedded().find(id);
      return known != nullptr && known->c_level == "yes";
    })) << property;
  }
}

}  // namespace
}  // namespace dlcert
