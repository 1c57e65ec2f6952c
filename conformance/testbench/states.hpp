// SPDX-License-Identifier: Apache-2.0
//
// Tensors of states that are not exported as they are (DLCERT_STATE_*), one state at a time: data
// that requires a gradient may hide that it is conjugated, and that it is conjugated that it is
// negated.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "testbench/exports.hpp"

namespace dlcert::testbench {

struct State {
  std::int32_t state;
  std::string_view name;  // "data that is ..."
  // Its elements have values of the spec's dtype, which are the bytes that it is made from.
  bool has_values;
  std::span<const dlcert_dtype> dtypes;
  std::size_t item_size;  // of those bytes, where it has no values; 0: that of the dtype
};
std::span<const State> undescribable_states();
const State& state_of(std::int32_t state);

// A claimed tensor in this state, or the end of the case. One that has values shows others where
// its state is forgotten: each part of an element is a number of its own, positive or negative, and
// 0 only in some elements of sparse data. Strided where the library has such ones.
Source make_in_state(Case& c, const State& state);
// Likewise in a drawn one of the states with values that the library claims.
Source make_with_values(Case& c);

// Fails unless what was exported of a tensor that has values shows them.
void expect_values(const State& state, const Source& source, const Managed& exported);

}  // namespace dlcert::testbench
