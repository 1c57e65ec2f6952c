// SPDX-License-Identifier: Apache-2.0
//
// What the commands do with a preflight: they show what was lost, and end where the adapter is at
// fault.
#pragma once

#include <vector>

#include "runner/preflight.hpp"

namespace dlcert {

// Tries the adapters and keeps in `inventory` what they claim. Shows on standard error what was
// lost, in a few lines. Throws CommandError (exit code 2) where an adapter is at fault.
std::vector<Preflight> require_preflight(Inventory& inventory, const RunOptions& options);

// The table of one adapter, for people: claimed, made, lost, by role, device and layout.
std::string to_table(const Preflight& preflight);

// What went wrong, a line each, without an end; at most a few.
std::vector<std::string> lines_of(const Preflight& preflight);

// Throws CommandError (exit code 2) that names the faults of the adapter, if it has any.
void require_faultless(const AdapterInfo& adapter, const Preflight& preflight);

}  // namespace dlcert
