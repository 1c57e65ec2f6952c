// SPDX-License-Identifier: Apache-2.0
#include "register/text.hpp"

#include <gtest/gtest.h>

namespace dlcert {
namespace {

using namespace std::string_literals;

TEST(OneLine, ShowsControlCharactersAsEscapes) {
  EXPECT_EQ(one_line("a\nb\t\x1b[2K\x7f"), "a\\nb\\t\\x1b[2K\\x7f");
  EXPECT_EQ(one_line("\0\r"s), "\\x00\\x0d");
  EXPECT_EQ(one_line("naïve Müller 数组 🙂"), "naïve Müller 数组 🙂");
}

TEST(OneLine, ShowsWhatMovesOrHidesTextAsEscapes) {
  EXPECT_EQ(one_line("\u0085\u009b"), "\\u0085\\u009b") << "C1: a new line, and ESC [";
  EXPECT_EQ(one_line("\u202e\u2066\u2069\u200f\u061c"), "\\u202e\\u2066\\u2069\\u200f\\u061c");
  EXPECT_EQ(one_line("\u2028\u2029"), "\\u2028\\u2029");
  EXPECT_EQ(one_line("\ufeff\u200b\u2060\U000e0041"), "\\ufeff\\u200b\\u2060\\U000e0041");
  EXPECT_EQ(one_line("\ufdd0\U0010ffff"), "\\ufdd0\\U0010ffff");
  EXPECT_EQ(one_line("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff");
}

TEST(OneLine, ShowsWhatIsNoUtf8AsBytes) {
  EXPECT_EQ(one_line("a\xff"), "a\\xff");
  EXPECT_EQ(one_line("\xc0\xaf"), "\\xc0\\xaf") << "too long";
  EXPECT_EQ(one_line("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last";
  EXPECT_EQ(one_line("\xe2\x82"), "\\xe2\\x82") << "cut off";
}

TEST(CleanLines, KeepsNewLinesAndIndents) {
  EXPECT_EQ(clean_lines("a\n\tb\r\n"), "a\n    b\\x0d\n");
}

TEST(LastLine, IsTheLastThatIsNotEmpty) {
  EXPECT_EQ(last_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(last_line("one"), "one");
  EXPECT_EQ(last_line("\n\n"), "");
  EXPECT_EQ(last_line(""), "");
}

TEST(CleaningText, ShortensAndSaysSo) {
  const std::string text = one_line(std::string(10'000, 'x'), 100);
  EXPECT_EQ(text, std::string(60, 'x') + " ... (9940 more characters)");
  EXPECT_EQ(one_line(std::string(100, 'x'), 100), std::string(100, 'x'));
  std::string wide;
  for (int i = 0; i < 100; ++i)
    wide += "数";
  EXPECT_EQ(one_line(wide, 100), wide) << "characters, not bytes";
  EXPECT_EQ(one_line(wide + "数", 100), wide.substr(0, 180) + " ... (41 more characters)");
}

TEST(CleaningText, ChangesNothingTheSecondTime) {
  for (const std::string& text : {"a\nb\xff\u202e"s, std::string(10'000, '\x1b')}) {
    EXPECT_EQ(one_line(one_line(text)), one_line(text));
    EXPECT_EQ(clean_lines(clean_lines(text)), clean_lines(text));
  }
}

}  // namespace
}  // namespace dlcert
