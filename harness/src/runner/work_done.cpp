// SPDX-License-Identifier: Apache-2.0
#include "runner/work_done.hpp"

namespace dlcert {

namespace {

std::array<std::uint64_t, work_names.size()>& totals() {
  static std::array<std::uint64_t, work_names.size()> counts{};
  return counts;
}

}  // namespace

void add_work(const WorkCounters& job) {
  for (std::size_t what = 0; what < job.size(); ++what)
    totals()[what] += job[what];
}

std::map<std::string, std::uint64_t> work_done() {
  std::map<std::string, std::uint64_t> work;
  for (std::size_t what = 0; what < work_names.size(); ++what)
    work.emplace(work_names[what], totals()[what]);
  return work;
}

}  // namespace dlcert
