// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/option_values.hpp"
#include "cli/race_records.hpp"
#include "cli/race_report.hpp"
#include "fuzz/require.hpp"
#include "fuzz/targets.hpp"
#include "register/debian_version.hpp"
#include "register/python_version.hpp"
#include "register/text.hpp"
#include "register/version_range.hpp"
#include "restart/redirectable.hpp"
#include "runner/sanitizer_report.hpp"
#include "worker/elf_facts.hpp"

namespace dlcert::fuzz {
namespace {

// The code points of valid UTF-8; nothing for other bytes. Written by the table of the Unicode
// Standard, section 3.9, and not as the cleaning is.
std::optional<std::vector<char32_t>> code_points(std::string_view text) {
  std::vector<char32_t> points;
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  const auto follows = [&](std::size_t at, unsigned least = 0x80, unsigned most = 0xbf) {
    return byte(at) >= least && byte(at) <= most;
  };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned a = byte(i);
    if (a < 0x80) {
      points.push_back(a);
      i += 1;
    } else if (a >= 0xc2 && a <= 0xdf && follows(i + 1)) {
      points.push_back((a & 0x1f) << 6 | (byte(i + 1) & 0x3f));
      i += 2;
    } else if (a >= 0xe0 && a <= 0xef &&
               follows(i + 1, a == 0xe0 ? 0xa0 : 0x80, a == 0xed ? 0x9f : 0xbf) && follows(i + 2)) {
      points.push_back((a & 0xf) << 12 | (byte(i + 1) & 0x3f) << 6 | (byte(i + 2) & 0x3f));
      i += 3;
    } else if (a >= 0xf0 && a <= 0xf4 &&
               follows(i + 1, a == 0xf0 ? 0x90 : 0x80, a == 0xf4 ? 0x8f : 0xbf) && follows(i + 2) &&
               follows(i + 3)) {
      points.push_back((a & 7) << 18 | (byte(i + 1) & 0x3f) << 12 | (byte(i + 2) & 0x3f) << 6 |
                       (byte(i + 3) & 0x3f));
      i += 4;
    } else {
      return std::nullopt;
    }
  }
  return points;
}

// What no report may hold, whatever else is unfit.
bool is_dangerous(char32_t point) {
  return (point < 0x20 && point != '\n') || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
         (point >= 0x200e && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0xfeff || (point & 0xfffe) == 0xfffe;
}

void require_clean(std::string_view text, bool several_lines, std::size_t longest) {
  const auto points = code_points(text);
  require(points.has_value(), "a cleaned text that is not UTF-8");
  require(points->size() <= longest, "a cleaned text that is too long");
  require(std::ranges::none_of(*points, is_dangerous), "a cleaned text that moves or hides");
  require(several_lines || text.find('\n') == text.npos, "a line with a new line");
}

}  // namespace

void read_text(std::string_view text) {
  for (const std::size_t longest : {std::size_t{40}, longest_name}) {
    const std::string line = one_line(text, longest);
    require_clean(line, false, longest);
    require(one_line(line, longest) == line, "a line that is cleaned twice");
    const std::string lines = clean_lines(text, longest);
    require_clean(lines, true, longest);
    require(clean_lines(lines, longest) == lines, "lines that are cleaned twice");
  }
}

namespace {

struct Version {
  std::string_view text;
  std::optional<PythonVersion> python;
  bool debian = false;
};

int sign(std::strong_ordering order) {
  return std::is_lt(order) ? -1 : std::is_gt(order);
}

int order_of_debian(const Version& a, const Version& b) {
  return compare_debian_versions(a.text, b.text);
}
int order_of_python(const Version& a, const Version& b) {
  return sign(*a.python <=> *b.python);
}

// Whether an order is one: of each with itself, of two, of three.
void require_order(std::span<const Version> versions, bool (*takes)(const Version&),
                   int (*order)(const Version&, const Version&)) {
  for (const Version& a : versions) {
    if (!takes(a)) continue;
    require(order(a, a) == 0, "a version that is not equal to itself");
    for (const Version& b : versions) {
      if (!takes(b)) continue;
      const int ab = order(a, b);
      require(ab == -order(b, a), "two versions without an order");
      for (const Version& c : versions)
        if (takes(c) && ab <= 0 && order(b, c) <= 0)
          require(order(a, c) <= 0, "three versions without an order");
    }
  }
}

bool contains(const std::string& range, std::string_view version) {
  return VersionRange::parse(range).contains(version);
}

void require_in_own_ranges(const Version& version) {
  require(VersionRange::exactly(version.text).contains(version.text), "a version that is another");
  if (!version.python && !version.debian) return;
  const std::string text{version.text};
  require(contains("==" + text, text) && !contains("!=" + text, text), "a version that is another");
  if (version.python && !version.python->local.empty()) return;  // takes no other operator
  require(contains(">=" + text, text) && contains("<=" + text, text), "a version beside itself");
  require(!contains("<" + text, text) && !contains(">" + text, text), "a version behind itself");
}

}  // namespace

void read_versions(std::string_view text) {
  constexpr std::size_t most = 3;
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view range_text = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  std::vector<Version> versions;
  while (!text.empty() && versions.size() < most) {
    const std::string_view version = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(version.size() + 1, text.size()));
    versions.push_back({version, PythonVersion::parse(version), is_debian_version(version)});
  }
  require_order(
      versions, [](const Version& version) { return version.debian; }, order_of_debian);
  require_order(
      versions, [](const Version& version) { return version.python.has_value(); }, order_of_python);
  for (const Version& version : versions)
    require_in_own_ranges(version);

  std::optional<VersionRange> range;
  if (!accepts([&] { range = VersionRange::parse(range_text); })) return;
  require(range->text() == range_text, "a range with another text");
  const VersionRange again = VersionRange::parse(std::string{" "} + range->text());
  for (const Version& version : versions)
    require(range->contains(version.text) == again.contains(version.text), "a range by a blank");
}

void read_options(std::string_view text) {
  constexpr std::array<std::uint64_t, 3> limits{1, 64, UINT64_MAX};
  for (const std::uint64_t most : limits) {
    std::string value{text};
    const std::string wrong = refusal_of_whole_number(value, 1, most);
    if (!wrong.empty()) {
      require(value == text, "a refused number that was changed");
      continue;
    }
    require(std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }),
            "a number of other characters than digits");
    const std::uint64_t number = std::stoull(value);
    require(number >= 1 && number <= most && std::to_string(number) == value, "another number");
  }
  if (!refusal_of_seconds(std::string{text}).empty()) return;
  require(text.find_first_not_of("0123456789.eE+-") == text.npos, "seconds that are no number");
  const double seconds = std::stod(std::string{text});
  require(seconds >= 0.001 && seconds <= 1'000'000, "seconds out of range");
}

void read_output(std::string_view text) {
  const std::string fault = fault_of_harness(text, "/project/");
  if (fault.empty()) return;
  require_one_line(fault);
  require(text.find("/project/") != text.npos, "a fault of the harness from nowhere");
}

void read_elf_facts(std::string_view file) {
  static_cast<void>(dlcert::read_elf_facts(std::as_bytes(std::span{file})));
}

void read_program_file(std::string_view file) {
  static const int program = ::memfd_create("program", 0);
  require(::ftruncate(program, 0) == 0 &&
              ::pwrite(program, file.data(), file.size(), 0) == std::ssize(file),
          "no file to be read");
  static const std::string path = "/proc/self/fd/" + std::to_string(program);
  try {
    require_redirectable(path);
  } catch (const std::runtime_error&) {  // main() cleans what it tells of a file
  }
}

void read_race_records(std::string_view lines) {
  std::istringstream file{std::string{lines}};
  const RaceRecords records = dlcert::read_race_records(file);
  const std::string text = text_of(records);
  require(text.empty() || text.ends_with('\n'), "a report that ends within a line");
  require(json_of(records, {"program"}, {}).ends_with("}\n"), "a document that is cut off");
}

}  // namespace dlcert::fuzz
