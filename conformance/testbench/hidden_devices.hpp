// SPDX-License-Identifier: Apache-2.0
//
// A process that sees some devices of its machine alone, in an order of its own. For producers and
// consumers, which number devices as the driver does in this process.
#pragma once

#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>

#include "testbench/environment.hpp"

namespace dlcert::testbench {

// The check, each case of which has a process in which nobody has called the driver yet.
Check in_own_process(Check check);

// The vendor's variables hide devices, and give those that are left other numbers than the machine
// has: to the driver they are 0, 1, …; the management library counts all, and knows the driver's by
// their UUIDs. One in a process; before anything else of the case.
class HiddenDevices {
 public:
  explicit HiddenDevices(Case& c);

  // The machine's number of each device that is visible, by its ordinal: never the same one.
  const std::vector<int>& physical() const { return physical_; }

 private:
  static Environment arranged(Case& c, const std::vector<int>& physical);

  std::vector<int> physical_;
  ArrangedEnvironment environment_;
};

}  // namespace dlcert::testbench
