// SPDX-License-Identifier: Apache-2.0
//
// What the sharing checks share: reading and writing from each side, and handing a tensor from one
// library to the other.
#pragma once

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/offers.hpp"
#include "testbench/exports.hpp"
#include "testbench/imports.hpp"

namespace dlcert::sharing {

using testbench::draw_source;
using testbench::expect_describes;
using testbench::expect_holds;
using testbench::export_either;
using testbench::Exported;
using testbench::gather_exported;
using testbench::require_accepted;
using testbench::says_copied;
using testbench::Source;

inline constexpr Needs exporting = Needs{} | Can::create;  // and a function to export with
inline constexpr Needs importing = Can::any_import | Can::describe | Can::reads_back;

// At least one element, so that there is memory to share.
inline constexpr ShapeBounds with_elements{.empty = false};

// Libraries may refuse to write where elements share memory with each other.
inline constexpr SpecBounds writable_view{
    .layouts = Layouts::no_overlap, .shape = with_elements, .writable = true};

// The producer's tensor, exported and taken by the consumer. Not claimed when the consumer does not
// take it.
Tensor hand_over(Case& c, const Tensor& tensor);

Bytes read_all(const Party& party, const Tensor& tensor, const TensorSpec& spec);
// Through the library's own indexing, which must work.
void write_all(const Party& party, const Tensor& tensor, const Bytes& logical);
// By the harness, through what the descriptor says.
void write_exported(const Managed& managed, const Bytes& logical);

}  // namespace dlcert::sharing
