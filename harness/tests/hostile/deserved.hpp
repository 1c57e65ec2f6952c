// SPDX-License-Identifier: Apache-2.0
//
// Holds what a run made of an attack against its row in a table of attacks.
#pragma once

#include <string>
#include <vector>

#include "attacks.hpp"
#include "fixture.hpp"

namespace dlcert::hostile {

class Deserved : public Hostile {
 protected:
  // Certifies the variant of the attack, with these options but for the attack's own limits.
  static void expect_deserved_verdict(const Attack& attack, RunOptions options);

 private:
  static void expect_unusable(const Inventory& inventory, const Attack& attack);
  static void expect_verdict(const Results& results, const Attack& attack, Verdict verdict);
  static void expect_death(const Results& results, const Attack& attack);
  static void expect_not_run(const Results& results);
  static void expect_nobody_accused(const Results& results);
  static void expect_told(const std::vector<std::string>& lines, const Attack& attack);
  static void expect_right(const Results& results, const Attack& attack);
};

}  // namespace dlcert::hostile
