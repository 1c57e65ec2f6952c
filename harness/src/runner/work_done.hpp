// SPDX-License-Identifier: Apache-2.0
//
// What the jobs of this process did, from the inventory on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <dlcert/suite/work.hpp>

namespace dlcert {

// Adds the counts of a job that has ended. Of one thread: the one that runs jobs.
void add_work(const WorkCounters& job);

// By work_names, of all jobs that have ended.
std::map<std::string, std::uint64_t> work_done();

}  // namespace dlcert
