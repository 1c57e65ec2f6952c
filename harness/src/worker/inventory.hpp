// SPDX-License-Identifier: Apache-2.0
//
// The answer to Job::Mode::describe.
#pragma once

#include <span>
#include <string>

#include "records/job.hpp"

namespace dlcert {

// The checks of the suite, and what each adapter says of itself: each is loaded and unloaded in
// turn. One that is not usable has AdapterInfo::error set.
Inventory take_inventory(const Suite& suite, std::span<const std::string> adapters);

}  // namespace dlcert
