// SPDX-License-Identifier: Apache-2.0
//
// What the checks of two libraries with each other share. Each is a table, whose rows say which
// tensor they are about (Case::concerns).
#pragma once

#include "sharing/support.hpp"

namespace dlcert::sharing {

// What a consumer of pairs must offer.
inline constexpr Needs taking = Can::any_import | Can::describe | Can::reads_back;

// How many scalar_dtypes() there are: rows of a table.
inline constexpr std::size_t dtype_count = 42;

// A check of the consumer of a pair.
Check pair_check(std::string_view requirement, std::string_view sentence, std::size_t rows,
                 Needs needs = taking);

// Whether the consumer claims such a tensor. One without read-only tensors of its own takes those
// of others, or refuses them.
bool claims_to_take(const Party& consumer, const TensorSpec& spec);

// What arrived. What both claim and one refuses is told, and is no failure: the standard lets each
// refuse.
Tensor taken(Case& c, const TensorSpec& spec, Outcome<Tensor> outcome);

}  // namespace dlcert::sharing
