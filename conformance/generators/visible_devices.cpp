// SPDX-License-Identifier: Apache-2.0
#include "generators/visible_devices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace dlcert {

namespace {

constexpr std::string_view identifier_prefix = "GPU-";
constexpr std::string_view hexadecimal = "0123456789abcdef";

using Offset = VisibleEntries::difference_type;

void insert_at(VisibleEntries& entries, std::size_t position, std::string entry) {
  entries.insert(entries.begin() + static_cast<Offset>(position), std::move(entry));
}

// The same ordinal to whoever reads it as the number that the entry starts with.
std::string spelled(Draw& draw, const std::string& ordinal) {
  constexpr std::array<std::string_view, 5> in_front{"", "+", "0", " ", "\t"};
  constexpr std::array<std::string_view, 3> behind{"", " ", "x"};
  std::string text{draw.one_of(in_front)};
  text += ordinal;
  text += draw.one_of(behind);
  return text;
}

// One piece of a value. Values are built of these so that they come near to what readers accept.
std::string draw_piece(Draw& draw, std::span<const std::string> uuids) {
  constexpr std::array<std::string_view, 14> marks{",",  "-", "+", " ",    "\t",   "\n",  ",-1",
                                                   "0x", "_", ".", "MIG-", "gpu-", "GPU", ":"};
  switch (draw.below(6)) {
    case 0:
      return std::to_string(draw.below(10));
    case 1:
      return ",";
    case 2:
      return std::string{draw.one_of(marks)};
    case 3: {
      if (uuids.empty()) return std::string{identifier_prefix};
      const std::string& uuid = draw.one_of(uuids);
      return uuid.substr(0, static_cast<std::size_t>(draw.below(uuid.size() + 1)));
    }
    case 4: {  // about as many digits as fit into 64 bits
      const auto digit = static_cast<char>('0' + draw.below(10));
      return std::string(static_cast<std::size_t>(draw.between(1, 24)), digit);
    }
    default:
      return {static_cast<char>(draw.between(1, 255))};
  }
}

// Entries of one kind, as a careful user writes them, but for a piece now and then that is none of
// it.
std::string draw_almost_a_list(Draw& draw, std::span<const std::string> uuids) {
  const bool identifiers = !uuids.empty() && draw.flip();
  VisibleEntries entries;
  for (auto count = draw.between(1, 8); count > 0; --count) {
    std::string entry = identifiers ? draw.one_of(uuids) : std::to_string(draw.below(10));
    if (draw.rarely(8)) entry = spelled(draw, entry);
    if (draw.rarely(16)) entry += draw_piece(draw, uuids);
    entries.push_back(std::move(entry));
  }
  return visible_value(entries);
}

std::string uuid_of(const std::array<std::byte, 16>& bytes) {
  std::string text{identifier_prefix};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto value = std::to_integer<std::size_t>(bytes.at(i));
    text += hexadecimal[value / 16];
    text += hexadecimal[value % 16];
  }
  return text;
}

// The UUID that follows, counting its digits up; the first follows the last.
void count_up(std::string& uuid) {
  for (std::size_t i = uuid.size(); i-- > identifier_prefix.size();) {
    if (uuid[i] == '-') continue;
    const std::size_t next = (hexadecimal.find(uuid[i]) + 1) % hexadecimal.size();
    uuid[i] = hexadecimal[next];
    if (next != 0) return;
  }
}

}  // namespace

std::string visible_value(const VisibleEntries& entries) {
  std::string value;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) value += ',';
    value += entries[i];
  }
  return value;
}

VisibleEntries draw_ordinal_list(Draw& draw, int devices, int at_least) {
  std::vector<int> left(static_cast<std::size_t>(devices));
  std::iota(left.begin(), left.end(), 0);
  VisibleEntries entries;
  for (std::int64_t count = draw.between(at_least, devices); count > 0; --count) {
    const auto taken = left.begin() + static_cast<Offset>(draw.below(left.size()));
    entries.push_back(std::to_string(*taken));
    left.erase(taken);
  }
  return entries;
}

VisibleEntries permuted(Draw& draw, VisibleEntries entries) {
  for (std::size_t i = 0; i + 1 < entries.size(); ++i)
    std::swap(entries[i], entries[i + static_cast<std::size_t>(draw.below(entries.size() - i))]);
  return entries;
}

VisibleEntries with_duplicate(Draw& draw, VisibleEntries ordinals) {
  const auto original = static_cast<std::size_t>(draw.below(ordinals.size()));
  const std::size_t behind = original + 1;
  const auto position = behind + static_cast<std::size_t>(draw.below(ordinals.size() - original));
  insert_at(ordinals, position, spelled(draw, ordinals[original]));
  return ordinals;
}

VisibleEntries with_stop(Draw& draw, VisibleEntries entries, std::size_t position) {
  constexpr std::array<std::string_view, 7> stops{"-1", "", "x", "-2", " ", "gpu", "-99x"};
  insert_at(entries, position, std::string{draw.one_of(stops)});
  return entries;
}

std::string draw_visible_value(Draw& draw, std::span<const std::string> uuids) {
  if (draw.flip()) return draw_almost_a_list(draw, uuids);
  std::string value;
  for (auto pieces = draw.below(static_cast<std::uint64_t>(draw.size()) / 3 + 2); pieces > 0;
       --pieces)
    value += draw_piece(draw, uuids);
  return value;
}

std::vector<std::string> draw_uuids(Draw& draw, std::size_t count) {
  std::vector<std::string> uuids;
  while (uuids.size() < count) {
    std::array<std::byte, 16> bytes{};
    draw.bytes(bytes);
    std::string uuid = uuid_of(bytes);
    if (!uuids.empty() && draw.flip()) {
      const std::string& other = draw.one_of(uuids);
      const auto shared = static_cast<std::size_t>(draw.below(other.size()));
      uuid.replace(0, shared, other, 0, shared);
    }
    while (std::ranges::find(uuids, uuid) != uuids.end())
      count_up(uuid);
    uuids.push_back(std::move(uuid));
  }
  return uuids;
}

std::optional<std::size_t> unique_prefix_length(std::span<const std::string> uuids,
                                                std::size_t index) {
  const std::string& uuid = uuids[index];
  std::size_t shared = 0;
  for (std::size_t other = 0; other < uuids.size(); ++other) {
    if (other == index) continue;
    const auto differing = std::ranges::mismatch(uuid, uuids[other]).in1;
    shared = std::max(shared, static_cast<std::size_t>(differing - uuid.begin()));
  }
  return shared < uuid.size() ? std::optional{shared + 1} : std::nullopt;
}

}  // namespace dlcert
