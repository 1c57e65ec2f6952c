// SPDX-License-Identifier: Apache-2.0
//
// The checks that tell in which cases their rule was touched (Check::says_touched): a line
// "<requirement>\t<role>\t<one in>\t<sentence>" for each, in the suite's order.
#include <fmt/format.h>

#include "register/profile.hpp"
#include "suite.hpp"

int main() {
  const dlcert::Suite suite = dlcert::all_checks();
  for (const dlcert::Check& check : suite.checks())
    if (check.says_touched && !check.pair)
      fmt::print("{}\t{}\t{}\t{}\n", check.requirement, dlcert::to_text(check.role), check.one_in,
                 check.sentence);
}
