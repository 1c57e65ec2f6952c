// SPDX-License-Identifier: Apache-2.0
//
// What the lifetime checks share: exports of claimed tensors, and handles on imported ones.
#pragma once

#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/exports.hpp"
#include "generators/offers.hpp"

namespace dlcert::lifetime {

inline constexpr Needs exporting = Needs{} | Can::create;  // and a function to export with
inline constexpr Needs importing = Can::any_import | Can::describe | Can::read;

// The imported tensor with some aliases of it, to be released in any order.
std::vector<Tensor> draw_handles(Case& c, Import& import);
// Takes one of them out; requires one.
Tensor draw_one(Case& c, std::vector<Tensor>& handles);

}  // namespace dlcert::lifetime
