// SPDX-License-Identifier: Apache-2.0
//
// What a worker can run, and between whom.
#pragma once

#include <span>
#include <string>

#include "records/job.hpp"

namespace dlcert {

// Loads each adapter in turn and lets go of it. One that is not usable has its error set.
Inventory take_inventory(const Suite& suite, std::span<const std::string> adapters);

}  // namespace dlcert
