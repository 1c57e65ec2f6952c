// SPDX-License-Identifier: Apache-2.0
//
// Versions of libraries and ranges of them. The rows are examples of PEP 440 and of deb-version(7),
// or follow from their sentences.
#include "register/version_range.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "register/debian_version.hpp"
#include "register/python_version.hpp"

namespace dlcert {
namespace {

// ---- order --------------------------------------------------------------------------------------

TEST(PythonVersions, AreInTheOrderOfPep440) {
  // "Summary of permitted suffixes and relative ordering", and epochs.
  constexpr std::array ascending{"1.dev0",
                                 "1.0.dev456",
                                 "1.0a1",
                                 "1.0a2.dev456",
                                 "1.0a12.dev456",
                                 "1.0a12",
                                 "1.0b1.dev456",
                                 "1.0b2",
                                 "1.0b2.post345.dev456",
                                 "1.0b2.post345",
                                 "1.0rc1.dev456",
                                 "1.0rc1",
                                 "1.0",
                                 "1.0+abc.5",
                                 "1.0+abc.7",
                                 "1.0+5",
                                 "1.0.post456.dev34",
                                 "1.0.post456",
                                 "1.0.15",
                                 "1.1.dev1",
                                 "1.9",
                                 "1.10",
                                 "2013.10",
                                 "99999999999999999999999",
                                 "1!0.1",
                                 "2!0.0.1.dev0"};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t k = 0; k < ascending.size(); ++k)
      EXPECT_EQ(*PythonVersion::parse(ascending.at(i)) <=> *PythonVersion::parse(ascending.at(k)),
                i <=> k)
          << ascending.at(i) << " and " << ascending.at(k);
}

TEST(PythonVersions, OfOtherSpellingAreTheSame) {
  constexpr std::array<std::array<const char*, 2>, 18> same{{
      {"1.1", "1.1.0"},
      {"1", "1.0.0"},
      {"0!1.1", "1.1"},
      {"01.02", "1.2"},
      {"v1.0", "1.0"},
      {"V1.0", "1.0"},
      {"1.1RC1", "1.1rc1"},
      {"1.1.a1", "1.1a1"},
      {"1.1-a1", "1.1a1"},
      {"1.1a.1", "1.1a1"},
      {"1.1alpha_1", "1.1a1"},
      {"1.1c3", "1.1rc3"},
      {"1.1pre3", "1.1rc3"},
      {"1.2a", "1.2a0"},
      {"1.2-post2", "1.2.post2"},
      {"1.0-r4", "1.0.post4"},
      {"1.0-1", "1.0.post1"},
      {"1.0+Ubuntu-1", "1.0+ubuntu.1"},
  }};
  for (const auto& [a, b] : same)
    EXPECT_TRUE(*PythonVersion::parse(a) == *PythonVersion::parse(b)) << a << " and " << b;
}

TEST(PythonVersions, AreNothingElse) {
  for (const char* const text : {"", "a", "1.", ".1", "1..2", "1.0+", "1.0+a..b", "1.0~rc1", "1:2",
                                 "1.0 1", "1.0x", "1!", "1.0dev.", "1.0-", "1.0a1a2"})
    EXPECT_FALSE(PythonVersion::parse(text)) << text;
}

TEST(DebianVersions, AreInTheOrderOfDebVersion) {
  // "~~, ~~a, ~, the empty part, a", numbers by their value, letters before other characters.
  constexpr std::array ascending{"1.0~~",  "1.0~~a", "1.0~",   "1.0",     "1.0-1", "1.0-1.1",
                                 "1.0a",   "1.0+b1", "1.0.1",  "1.2~rc1", "1.2",   "1.2a",
                                 "1.2.3a", "1.9",    "1.10~1", "1.10",    "2",     "1:0.1"};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t k = 0; k < ascending.size(); ++k) {
      const int order = compare_debian_versions(ascending.at(i), ascending.at(k));
      EXPECT_EQ(order <=> 0, i <=> k) << ascending.at(i) << " and " << ascending.at(k);
    }
  EXPECT_EQ(compare_debian_versions("0:1.0-0", "1.00"), 0);
}

// ---- ranges -------------------------------------------------------------------------------------

struct Row {
  const char* range;
  const char* version;
  bool contained;
};

constexpr Row rows[]{
    // Ordered comparisons.
    {">=0.1.15", "0.1.15", true},
    {">=0.1.15", "0.1.15.post2", true},
    {">=0.1.15", "0.1.15rc1", false},
    {">=2.0, <2.4", "2.0", true},
    {">=2.0, <2.4", "2.3.9", true},
    {">=2.0, <2.4", "2.4", false},
    {">=2.0, <2.4", "1.99", false},
    {"> 2.1", "2.1", false},
    {"> 2.1", "2.1.1", true},
    {"<=2.1", "2.1", true},
    {"<=2.1", "2.1.0", true},
    {"<=2.1", "2.1.1", false},
    {">=1.0", "1!0.1", true},
    {"<2", "1!0.1", false},
    // "<V MUST NOT allow a pre-release of the specified version unless it is itself one".
    {"<3.1", "3.1.dev0", false},
    {"<3.1", "3.1rc1", false},
    {"<3.1", "3.0", true},
    {"<3.1rc2", "3.1rc1", true},
    {"<3.1", "3.0.post1", true},
    {"<=3.1", "3.1rc1", true},
    // ">V MUST NOT allow a post-release of the given version unless V itself is one".
    {">1.7", "1.7.0.post1", false},
    {">1.7", "1.7.1", true},
    {">1.7.post2", "1.7.post3", true},
    {">1.7.post2", "1.7.0", false},
    {">1.7.post2", "1.7.1", true},
    // ">V MUST NOT match a local version of the specified version".
    {">1.7", "1.7+cu121", false},
    {">=1.7", "1.7+cu121", true},
    {"<=1.7", "1.7+cu121", true},
    {"<1.7", "1.7+cu121", false},
    // Matching: local versions count only where the bound names one.
    {"==2.4.0", "2.4.0+cu121", true},
    {"==2.4.0+cu121", "2.4.0+cu121", true},
    {"==2.4.0+cu121", "2.4.0", false},
    {"==2.4.0+cu121", "2.4.0+cpu", false},
    {"2.4", "2.4.0", true},
    {"=2.1", "2.1.1", false},
    {"==1.1", "1.1.post1", false},
    {"==1.1.post1", "1.1.post1", true},
    {"==1.1", "1.1a1", false},
    {"1.0rc1", "1.0C1", true},
    // Prefix matching.
    {"==1.1.*", "1.1.post1", true},
    {"==1.1.*", "1.1a1", true},
    {"==1.1.*", "1.1", true},
    {"==1.1.*", "1.1.7", true},
    {"==1.1.*", "1.10", false},
    {"==1.0.*", "1", true},
    {"==1.*", "1.2+local", true},
    {"==1.*", "1!1.2", false},
    {"==1!1.*", "1!1.2", true},
    {"0.1.*", "0.1.7", true},
    {"0.1.*", "0.2", false},
    {"!=1.1.*", "1.1.post1", false},
    {"!=1.1.*", "1.2", true},
    // Exclusion.
    {"!=1.1", "1.1", false},
    {"!=1.1", "1.1.0", false},
    {"!=1.1", "1.1.post1", true},
    {"!=1.1", "1.1+local", false},
    {"!=1.1+other", "1.1+local", true},
    {">=1.0, !=1.5", "1.5", false},
    {">=1.0, !=1.5", "1.6", true},
    // Compatible releases.
    {"~=2.2", "2.2", true},
    {"~=2.2", "2.9", true},
    {"~=2.2", "3.0", false},
    {"~=2.2", "2.1", false},
    {"~=2.2.0", "2.2.9", true},
    {"~=2.2.0", "2.3", false},
    {"~=1.4.5a4", "1.4.5a4", true},
    {"~=1.4.5a4", "1.4.5", true},
    {"~=1.4.5a4", "1.4.5a3", false},
    {"~=1.4.5a4", "1.5", false},
    {"~=2.2.post3", "2.2.post4", true},
    {"~=2.2.post3", "2.2", false},
    {"~=2.2.post3", "2.9", true},
    {"~=1!2.2", "1!2.3", true},
    {"~=1!2.2", "2.3", false},
    {"~=2.2", "2.2+cu121", true},
    // As Debian compares, where either is no version of Python's.
    {"<1:2.3-1", "1:2.3~rc1-1", true},
    {">=1:0.5", "2.0", false},
    {">=2.0", "1:0.5", true},
    {">=2.3~rc1", "2.3", true},
    {"<2.3~rc1", "2.3~beta", true},
    {"==2.3-4ubuntu1", "2.3-4ubuntu1", true},
    {">2.3-4", "2.3-4ubuntu1", true},
    {">2.3-4", "2.3-10", true},
    {"!=2.3~rc1", "2.3~rc1", false},
    {"<=1.1.1w", "1.1.1x", false},
    {"1.1.1w", "1.1.1w", true},
    {"==2.3.*", "2.3-4ubuntu1", true},
    {"==2.3.*", "2.3.1~rc1", true},
    {"==2.3.*", "2.30-4ubuntu1", false},
    {"~=2.2", "2.3-4ubuntu1", false},
    // What cannot be compared.
    {"*", "anything", true},
    {"*", "", true},
    {">=0", "unknown", false},
    {"<3", "unknown", false},
    {"!=1", "", false},
    {"<3", "git-1.2", false},
};
static_assert(std::size(rows) >= 80);

TEST(VersionRange, HoldsTheVersionsThatItsRuleNames) {
  for (const Row& row : rows)
    EXPECT_EQ(VersionRange::parse(row.range).contains(row.version), row.contained)
        << row.range << " and " << row.version;
}

std::string refusal(const char* text) {
  try {
    VersionRange::parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(VersionRange, RefusesWhatIsNone) {
  for (const char* const text :
       {"",       ",",     ">=",      "2.1,",  ",2.1", "about 2", ">=2 <3 or so, x",
        "===2.1", "<<2",   ">>2",     "=>2",   "^2",   "~2",      "2.1-",
        "1:",     ":1",    "2.1\xff", "2.1\n", "2,*",  "**",      "*.1",
        "2.*.1",  "latest"})
    EXPECT_EQ(refusal(text).substr(0, 33), "expected a version range such as ") << text;
}

TEST(VersionRange, RefusesWhatThePepGivesNoMeaning) {
  EXPECT_EQ(refusal(">=0.1.*"),
            "expected a version range such as '>=2.0, <2.4' but found '>=0.1.*': only == and != "
            "take '.*'");
  EXPECT_EQ(refusal("==1.0rc1.*"),
            "expected a version range such as '>=2.0, <2.4' but found '==1.0rc1.*': '.*' must "
            "follow a release");
  EXPECT_EQ(refusal("~=2"),
            "expected a version range such as '>=2.0, <2.4' but found '~=2': ~= needs a version "
            "with at least two parts");
  EXPECT_EQ(refusal(">=2.4+cu121"),
            "expected a version range such as '>=2.0, <2.4' but found '>=2.4+cu121': only == and "
            "!= take a local version");
  for (const char* const text : {"<0.1.*", "~=0.1.*", "~=1:2.3", "<=1.0+x", "==1.0+x.*", "==.*"})
    EXPECT_NE(refusal(text), "no error") << text;
}

TEST(VersionRange, OfOneVersionHoldsIt) {
  EXPECT_TRUE(VersionRange::exactly("2.1a0").contains("2.1a0"));
  EXPECT_FALSE(VersionRange::exactly("2.1a0").contains("2.1"));
  EXPECT_TRUE(VersionRange::exactly("1:2.3-4").contains("1:2.3-4"));
  for (const char* const text : {"unknown", "", "2, 3", "2.1 beta"})
    EXPECT_TRUE(VersionRange::exactly(text).contains(text)) << text;
}

}  // namespace
}  // namespace dlcert
