// SPDX-License-Identifier: Apache-2.0
#include "register/python_version.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "register/ascii.hpp"

namespace dlcert {
namespace {

bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_';
}

// What is left to read of a version, in small letters.
class VersionReader {
 public:
  explicit VersionReader(std::string_view text) : rest_{text} {}

  bool at_end() const { return rest_.empty(); }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool take_separator() {
    if (rest_.empty() || !is_separator(rest_.front())) return false;
    rest_.remove_prefix(1);
    return true;
  }
  template <typename Predicate>
  std::string_view take_while(Predicate predicate) {
    const auto end = std::ranges::find_if_not(rest_, predicate);
    const std::string_view taken =
        rest_.substr(0, static_cast<std::size_t>(std::ranges::distance(rest_.begin(), end)));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::optional<Decimal> take_number() {
    const std::string_view digits = take_while(is_digit);
    if (digits.empty()) return std::nullopt;
    return Decimal{
        std::string{digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1))}};
  }
  // A part such as "-rc.1": a separator, one of the names, a separator, a number, 0 without one.
  template <std::size_t count>
  std::optional<std::pair<std::string_view, Decimal>> take_part(
      const std::array<std::string_view, count>& names) {
    const std::string_view before = rest_;
    take_separator();
    for (const std::string_view name : names) {
      if (!take(name)) continue;
      const std::string_view behind = rest_;
      take_separator();
      std::optional<Decimal> number = take_number();
      if (!number) rest_ = behind;
      return std::pair{name, number.value_or(Decimal{})};
    }
    rest_ = before;
    return std::nullopt;
  }

 private:
  std::string_view rest_;
};

bool read_release(VersionReader& reader, PythonVersion& version) {
  std::optional<Decimal> number = reader.take_number();
  if (!number) return false;
  if (reader.take("!")) {
    version.epoch = *std::exchange(number, reader.take_number());
    if (!number) return false;
  }
  version.release.push_back(*std::move(number));
  while (true) {
    VersionReader behind = reader;
    if (!behind.take(".")) break;
    std::optional<Decimal> next = behind.take_number();
    if (!next) break;  // as of ".post1"
    version.release.push_back(*std::move(next));
    reader = behind;
  }
  version.release_parts = version.release.size();
  while (version.release.size() > 1 && version.release.back() == Decimal{})
    version.release.pop_back();
  return true;
}

void read_pre(VersionReader& reader, PythonVersion& version) {
  constexpr std::array<std::string_view, 8> names{"alpha",   "a",   "beta", "b",
                                                  "preview", "pre", "rc",   "c"};
  if (auto part = reader.take_part(names)) {
    version.pre =
        part->first.front() == 'a' || part->first.front() == 'b' ? part->first.front() : 'r';
    version.pre_number = std::move(part->second);
  }
}

void read_post(VersionReader& reader, PythonVersion& version) {
  constexpr std::array<std::string_view, 3> names{"post", "rev", "r"};
  VersionReader implicit = reader;  // "1.0-1"
  if (implicit.take("-"))
    if (auto number = implicit.take_number()) {
      version.post = std::move(number);
      reader = implicit;
      return;
    }
  if (auto part = reader.take_part(names)) version.post = std::move(part->second);
}

bool read_local(VersionReader& reader, PythonVersion& version) {
  if (!reader.take("+")) return true;
  do {
    const std::string_view part =
        reader.take_while([](char c) { return is_digit(c) || is_letter(c); });
    if (part.empty()) return false;
    PythonVersion::LocalPart local;
    if (std::ranges::all_of(part, is_digit))
      local.number = VersionReader{part}.take_number();
    else
      local.word = part;
    version.local.push_back(std::move(local));
  } while (reader.take_separator());
  return true;
}

// PEP 440, "Summary of permitted suffixes and relative ordering": .devN, aN, bN, rcN, none, .postN;
// a development release of nothing but the release comes before its pre-releases.
int rank_of_pre(const PythonVersion& version) {
  if (version.pre != 0) return version.pre == 'a' ? 1 : version.pre == 'b' ? 2 : 3;
  return version.dev && !version.post ? 0 : 4;
}

// Nothing comes behind any development release.
std::strong_ordering compare_dev(const std::optional<Decimal>& a, const std::optional<Decimal>& b) {
  if (a && b) return *a <=> *b;
  return b.has_value() <=> a.has_value();
}

}  // namespace

std::strong_ordering PythonVersion::LocalPart::operator<=>(const LocalPart& other) const {
  if (number && other.number) return *number <=> *other.number;
  if (number || other.number) return number.has_value() <=> other.number.has_value();
  return word.compare(other.word) <=> 0;
}

std::optional<PythonVersion> PythonVersion::parse(std::string_view text) {
  std::string small{text};
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  VersionReader reader{small};
  reader.take("v");
  PythonVersion version;
  if (!read_release(reader, version)) return std::nullopt;
  read_pre(reader, version);
  read_post(reader, version);
  constexpr std::array<std::string_view, 1> dev{"dev"};
  if (auto part = reader.take_part(dev)) version.dev = std::move(part->second);
  if (!read_local(reader, version) || !reader.at_end()) return std::nullopt;
  return version;
}

PythonVersion PythonVersion::base() const {
  PythonVersion base;
  base.epoch = epoch;
  base.release = release;
  base.release_parts = release_parts;
  return base;
}

PythonVersion PythonVersion::without_local() const {
  PythonVersion version = *this;
  version.local.clear();
  return version;
}

bool PythonVersion::starts_with(const PythonVersion& prefix) const {
  if (epoch != prefix.epoch) return false;
  for (std::size_t i = 0; i < prefix.release_parts; ++i) {
    const Decimal ours = i < release.size() ? release[i] : Decimal{};
    const Decimal theirs = i < prefix.release.size() ? prefix.release[i] : Decimal{};
    if (ours != theirs) return false;
  }
  return true;
}

std::strong_ordering PythonVersion::operator<=>(const PythonVersion& other) const {
  if (const auto order = epoch <=> other.epoch; std::is_neq(order)) return order;
  if (const auto order = release <=> other.release; std::is_neq(order)) return order;
  if (const auto order = rank_of_pre(*this) <=> rank_of_pre(other); std::is_neq(order))
    return order;
  if (const auto order = pre_number <=> other.pre_number; std::is_neq(order)) return order;
  if (const auto order = post <=> other.post; std::is_neq(order)) return order;  // none comes first
  if (const auto order = compare_dev(dev, other.dev); std::is_neq(order)) return order;
  return local <=> other.local;
}

}  // namespace dlcert
