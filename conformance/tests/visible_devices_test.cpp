// SPDX-License-Identifier: Apache-2.0
//
// Values of the variables of visible devices, and UUIDs, that properties draw.
#include "generators/visible_devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string_view>

namespace dlcert {
namespace {

constexpr std::uint64_t environments = 3000;

template <typename Visit>
void each_draw(const Visit& visit) {
  for (std::uint64_t seed = 0; seed < environments; ++seed) {
    Draw draw{seed, static_cast<int>(seed % 101)};
    visit(draw);
  }
}

int number_in(std::string_view entry) {
  const std::size_t start = entry.find_first_of("0123456789");
  return start == std::string_view::npos ? -1 : std::stoi(std::string{entry.substr(start)});
}

TEST(VisibleValues, HaveCommasBetweenTheirEntries) {
  EXPECT_EQ(visible_value({}), "");
  EXPECT_EQ(visible_value({"0"}), "0");
  EXPECT_EQ(visible_value({"2", "", "x"}), "2,,x");
}

TEST(OrdinalLists, NameDevicesThatExistEachOnce) {
  std::set<VisibleEntries> lists;
  each_draw([&](Draw& draw) {
    const int devices = static_cast<int>(draw.between(1, 4));
    const VisibleEntries entries = draw_ordinal_list(draw, devices);
    ASSERT_FALSE(entries.empty());
    ASSERT_EQ(std::set(entries.begin(), entries.end()).size(), entries.size());
    for (const std::string& entry : entries)
      ASSERT_TRUE(entry == std::to_string(number_in(entry)) && number_in(entry) < devices) << entry;
    lists.insert(entries);
  });
  EXPECT_EQ(lists.size(), 4u + 12u + 24u + 24u) << "every list of 4 devices";
}

TEST(OrdinalLists, ShrinkToTheFirstDevice) {
  Draw simplest = Draw::replay({}, 100);
  EXPECT_EQ(draw_ordinal_list(simplest, 8), VisibleEntries{"0"});
}

TEST(Permuted, KeepsTheEntriesInAnyOrder) {
  std::set<VisibleEntries> orders;
  each_draw([&](Draw& draw) {
    VisibleEntries entries = permuted(draw, {"0", "1", "2"});
    orders.insert(entries);
    std::ranges::sort(entries);
    ASSERT_EQ(entries, (VisibleEntries{"0", "1", "2"}));
  });
  EXPECT_EQ(orders.size(), 6u);
  Draw simplest = Draw::replay({}, 100);
  EXPECT_EQ(permuted(simplest, {"0", "1", "2"}), (VisibleEntries{"0", "1", "2"}));
}

TEST(WithDuplicate, RepeatsOneOrdinalBehindItself) {
  bool otherwise = false;
  each_draw([&](Draw& draw) {
    const VisibleEntries plain = draw_ordinal_list(draw, 12);
    const VisibleEntries entries = with_duplicate(draw, plain);
    ASSERT_EQ(entries.size(), plain.size() + 1);
    std::set<int> numbers;
    for (const std::string& entry : entries)
      numbers.insert(number_in(entry));
    ASSERT_EQ(numbers.size(), plain.size()) << visible_value(entries);
    const std::set<std::string> texts{entries.begin(), entries.end()};
    otherwise = otherwise || texts.size() == entries.size();
  });
  EXPECT_TRUE(otherwise);
}

TEST(WithStop, PutsAnEntryThatNamesNothingWhereItIsToldTo) {
  std::set<std::string> stops;
  each_draw([&](Draw& draw) {
    const VisibleEntries plain = draw_ordinal_list(draw, 4);
    const auto position = static_cast<std::size_t>(draw.below(plain.size() + 1));
    VisibleEntries entries = with_stop(draw, plain, position);
    const std::string stop = entries.at(position);
    ASSERT_TRUE(stop.empty() || std::string_view{"0123456789+"}.find(stop[0]) == std::string::npos);
    stops.insert(stop);
    entries.erase(entries.begin() + static_cast<VisibleEntries::difference_type>(position));
    ASSERT_EQ(entries, plain);
  });
  EXPECT_TRUE(stops.contains("") && stops.contains("-1") && stops.contains("x"));
}

TEST(AnyVisibleValue, ComesNearToWhatReadersAccept) {
  const std::regex ordinals{" *[0-9]+ *(, *[0-9]+ *)+"};
  int lists = 0, identifiers = 0, signs_alone = 0, beyond_ascii = 0, empty = 0;
  std::size_t longest = 0;
  each_draw([&](Draw& draw) {
    const std::vector<std::string> uuids = draw_uuids(draw, 3);
    const std::string value = draw_visible_value(draw, uuids);
    ASSERT_EQ(value.find('\0'), std::string::npos);
    lists += static_cast<int>(std::regex_match(value, ordinals));
    identifiers += static_cast<int>(value.starts_with("GPU-"));
    signs_alone += static_cast<int>(value.find("+,") != std::string::npos);
    beyond_ascii += static_cast<int>(
        std::ranges::any_of(value, [](char c) { return static_cast<unsigned char>(c) > 127; }));
    empty += static_cast<int>(value.empty());
    longest = std::max(longest, value.size());
  });
  EXPECT_GT(lists, 300);
  EXPECT_GT(identifiers, 100);
  EXPECT_GT(signs_alone, 10);
  EXPECT_GT(beyond_ascii, 100);
  EXPECT_GT(empty, 10);
  EXPECT_GT(longest, 200u);
}

TEST(AnyVisibleValue, NeedsNoUuidsAndShrinksToNothing) {
  each_draw([](Draw& draw) { (void)draw_visible_value(draw); });
  Draw simplest = Draw::replay({}, 100);
  EXPECT_EQ(draw_visible_value(simplest), "");
}

TEST(Uuids, DifferAndOftenShareAPrefix) {
  const std::regex form{"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"};
  std::size_t longest_shared = 0;
  each_draw([&](Draw& draw) {
    const std::vector<std::string> uuids = draw_uuids(draw, 8);
    ASSERT_EQ(std::set(uuids.begin(), uuids.end()).size(), 8u);
    for (std::size_t i = 0; i < uuids.size(); ++i) {
      ASSERT_TRUE(std::regex_match(uuids[i], form)) << uuids[i];
      longest_shared = std::max(longest_shared, *unique_prefix_length(uuids, i) - 1);
    }
  });
  EXPECT_EQ(longest_shared, 39u) << "all but the last digit";
}

TEST(Uuids, ShrinkToNumbersOneAfterAnother) {
  Draw simplest = Draw::replay({}, 100);
  EXPECT_EQ(draw_uuids(simplest, 2),
            (std::vector<std::string>{"GPU-00000000-0000-0000-0000-000000000000",
                                      "GPU-00000000-0000-0000-0000-000000000001"}));
}

TEST(UniquePrefix, IsTheShortestThatNoOtherUuidBeginsWith) {
  each_draw([](Draw& draw) {
    const std::vector<std::string> uuids = draw_uuids(draw, 4);
    const auto beginning_with = [&](std::string_view prefix) {
      return std::ranges::count_if(
          uuids, [&](const std::string& uuid) { return uuid.starts_with(prefix); });
    };
    for (std::size_t i = 0; i < uuids.size(); ++i) {
      const std::size_t length = *unique_prefix_length(uuids, i);
      ASSERT_EQ(beginning_with(uuids[i].substr(0, length)), 1);
      ASSERT_GT(beginning_with(uuids[i].substr(0, length - 1)), 1);
    }
  });
}

TEST(UniquePrefix, IsNoneWhereTheWholeUuidBeginsAnother) {
  const std::vector<std::string> uuids{"GPU-12", "GPU-123", "GPU-3", "GPU-3"};
  EXPECT_EQ(unique_prefix_length(uuids, 0), std::nullopt);
  EXPECT_EQ(unique_prefix_length(uuids, 1), 7u);
  EXPECT_EQ(unique_prefix_length(uuids, 2), std::nullopt);
  EXPECT_EQ(unique_prefix_length(std::vector<std::string>{"GPU-1"}, 0), 1u);
}

}  // namespace
}  // namespace dlcert
