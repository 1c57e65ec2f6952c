// SPDX-License-Identifier: Apache-2.0
#include "register/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dlcert {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: the text does not start with valid UTF-8
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least.at(bytes) || surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

struct Range {
  char32_t first, last;
};
// Controls, marks of direction, separators of lines, what is never seen, and no characters at all.
// Joiners (U+200C and U+200D) are part of words in some scripts.
constexpr std::array unfit{
    Range{0x0000, 0x001f},   Range{0x007f, 0x009f}, Range{0x00ad, 0x00ad}, Range{0x061c, 0x061c},
    Range{0x180e, 0x180e},   Range{0x200b, 0x200b}, Range{0x200e, 0x200f}, Range{0x2028, 0x202e},
    Range{0x2060, 0x206f},   Range{0xfdd0, 0xfdef}, Range{0xfeff, 0xfeff}, Range{0xfff9, 0xfffb},
    Range{0xe0000, 0xe0fff},
};

bool is_fit(char32_t code) {
  if ((code & 0xfffe) == 0xfffe) return false;  // the last two of each plane
  return std::ranges::none_of(
      unfit, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string escape(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  const auto number = static_cast<std::uint32_t>(code);
  if (code < 0x80) return fmt::format("\\x{:02x}", number);
  return code > 0xffff ? fmt::format("\\U{:08x}", number) : fmt::format("\\u{:04x}", number);
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

// Valid UTF-8 of at most `longest` characters. The note takes part in the length, so that a text
// that was cut is not cut again.
std::string shortened(std::string text, std::size_t longest) {
  constexpr std::size_t room_for_note = 40;
  if (text.size() <= longest) return text;
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
  if (characters <= longest) return text;
  const std::size_t kept = longest - room_for_note;
  std::size_t seen = 0;
  const auto end =
      std::ranges::find_if(text, [&](char c) { return starts_character(c) && seen++ == kept; });
  text.erase(end, text.end());
  return text + fmt::format(" ... ({} more characters)", characters - kept);
}

bool is_plain(char byte) {
  return byte >= ' ' && byte <= '~';
}

std::string clean(std::string_view text, bool several_lines, std::size_t longest) {
  // Nearly every text is: each call that is traced writes two.
  if (text.size() <= longest && std::ranges::all_of(text, is_plain)) return std::string{text};
  std::string out;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (bytes == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (is_fit(code) || (several_lines && code == '\n'))
      out += text.substr(0, bytes);
    else if (several_lines && code == '\t')
      out += "    ";
    else
      out += escape(code);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shortened(std::move(out), longest);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t longest) {
  return clean(text, false, longest);
}

std::string_view last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of('\n');
  text = text.substr(0, end + 1);  // npos + 1 is 0
  return text.substr(text.rfind('\n') + 1);
}

std::string clean_lines(std::string_view text, std::size_t longest) {
  return clean(text, true, longest);
}

}  // namespace dlcert
