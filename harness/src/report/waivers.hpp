// SPDX-License-Identifier: Apache-2.0
//
// Waivers: dated, owned, reasoned acceptances of known failures, kept with the implementation in a
// TOML file (harness/docs/waivers.md). A waiver that no longer says the truth fails the run.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "register/register.hpp"
#include "register/version_range.hpp"
#include "report/results.hpp"

namespace dlcert {

using Date = std::chrono::year_month_day;

struct Waiver {
  std::string place;  // "waivers.toml:7"
  std::string requirement;
  std::string implementation;  // name of the tested party
  VersionRange versions;
  std::optional<Role> role;  // in which it is tested; none: either
  std::string message;       // a part of the message that is accepted, or a glob over all of it
  std::string reason, link, owner;
  Date expires{};
  // Of two libraries with each other, of which `implementation` is one; both or none. A waiver
  // without them is of no pair.
  std::string producer = {}, consumer = {};
};

std::string date_text(Date date);  // "2027-01-31"

// The waiver accepts what the failing check says.
bool covers(const Waiver& waiver, const CheckResult& check);

// A waiver may accept what the check says of the library: it failed, crashed, hung, is flaky or
// inconclusive. Not a check that ran no case: nothing was found that could be accepted.
bool can_be_waived(const CheckResult& check);

// The waiver accepts nearly any message: behind its wildcards and what all messages share, hardly a
// word is left.
bool accepts_any_message(const Waiver& waiver);

// A waiver is reported this long before it expires, and where it does not expire for so long.
inline constexpr std::chrono::days waiver_warning_window{30};
inline constexpr std::chrono::years longest_waiver{2};

// What write_waivers() leaves to people to fill in: parse_waivers() refuses it.
inline constexpr std::string_view unowned = "nobody yet";
inline constexpr std::string_view unexamined = "not yet examined";  // at the end of a reason

// Throws std::runtime_error, one line "<name>:<line>:<column>: <what>", for text that is not TOML,
// a missing, unknown or ill-typed key, a requirement that the register does not know, and a reason
// or an owner that nobody filled in.
std::vector<Waiver> parse_waivers(std::string_view text, std::string_view name,
                                  const Register& known);

// Turns accepted failures of `results` into `waived` and fills its waiver problems and warnings: a
// waiver that has expired, whose failure has another message or no longer happens, or that names
// nothing that ran.
void apply_waivers(Results& results, std::span<const Waiver> waivers, Date today);

// A waiver file for what failed in `results`, to which `waivers` were applied: those that still
// hold are kept, others dropped, and every other failure gets an entry that expires after 90 days
// and is refused until its reason and owner are filled in. Only for unfiltered results.
std::string write_waivers(const Results& results, std::span<const Waiver> waivers, Date today);

}  // namespace dlcert
