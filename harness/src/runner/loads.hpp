// SPDX-License-Identifier: Apache-2.0
//
// How often adapters were loaded: each worker process loads all of its job's.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dlcert {

// A worker that loads the adapter of this path was started. Of one thread: the one that starts
// them.
void note_load(const std::string& path);

// By the path of the adapter, all since the process began.
const std::map<std::string, std::uint64_t>& adapter_loads();

}  // namespace dlcert
