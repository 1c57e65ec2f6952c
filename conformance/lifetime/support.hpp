// SPDX-License-Identifier: Apache-2.0
//
// What the lifetime checks share: exports of claimed tensors, and handles on imported ones.
#pragma once

#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/offers.hpp"
#include "testbench/exports.hpp"
#include "testbench/imports.hpp"

namespace dlcert::lifetime {

using testbench::draw_source;
using testbench::expect_holds;
using testbench::export_either;
using testbench::Exported;
using testbench::make_source;
using testbench::require_accepted;
using testbench::Source;

inline constexpr Needs exporting = Needs{} | Can::create;  // and a function to export with
inline constexpr Needs importing = Can::any_import | Can::describe | Can::reads_back;

// The imported tensor with some aliases of it, to be released in any order.
std::vector<Tensor> draw_handles(Case& c, Import& import);
// Takes one of the handles out. Requires that there is one.
Tensor draw_one(Case& c, std::vector<Tensor>& handles);

// The rule is about what a consumer refuses once it has it: met so, otherwise declined. For checks
// with Check::says_touched.
void touched_by_refusal(Case& c, const Import& import);

}  // namespace dlcert::lifetime
