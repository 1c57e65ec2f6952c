// SPDX-License-Identifier: Apache-2.0
//
// Checks of which each case takes a process of its own run fewer cases than others: how many, and
// which rows of a table.
#pragma once

#include <cstdint>

#include "records/job.hpp"

namespace dlcert {

// Sets how many cases a unit of the check runs in a run with `cases` per property: all, or a share.
// `dear`: a library of the unit is in an interpreter, where a process takes a hundred times as
// long. Returns how many there are in all.
std::uint64_t set_share(Unit& unit, const CheckInfo& check, std::uint64_t cases, bool dear);

// The index of the unit's case that is run as the `nth`. The rows of a share of a table are spread
// evenly over it; where they begin is the seed's choice.
std::uint64_t case_at(const Unit& unit, std::uint64_t nth);

// How many cases the unit runs before the one with this index.
std::uint64_t cases_before(const Unit& unit, std::uint64_t index);

}  // namespace dlcert
