// SPDX-License-Identifier: Apache-2.0
//
// What the lifetime checks share: handles on imported tensors, exports of claimed ones, and ways to
// make an import fail.
#pragma once

#include <vector>

#include <dlcert/check.hpp>
#include <dlcert/spy.hpp>

#include "generators/exports.hpp"
#include "generators/offers.hpp"

namespace dlcert::lifetime {

inline constexpr Needs exporting = Needs{} | Can::create;  // and a function to export with
inline constexpr Needs importing = Can::any_import | Can::describe | Can::read;

// ---- consumers ----------------------------------------------------------------------------------

// The imported tensor with some aliases of it, to be released in any order.
std::vector<Tensor> draw_handles(Case& c, Import& import);
// Takes one of them out; requires one.
Tensor draw_one(Case& c, std::vector<Tensor>& handles);

// Makes the descriptor one that a CPU library without exotic types refuses, by what it says of
// device or dtype.
void draw_refusal(Draw& draw, Descriptor& descriptor);

// ---- producers ----------------------------------------------------------------------------------

// The library's live allocations where it counts them; otherwise always 0, so that comparisons say
// nothing.
std::int64_t live_allocations(const Party& party);

}  // namespace dlcert::lifetime
