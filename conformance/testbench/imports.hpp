// SPDX-License-Identifier: Apache-2.0
//
// What consumers make of an offer, and how it is judged.
#pragma once

#include <string_view>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/offers.hpp"

namespace dlcert::testbench {

// Whether `consumer` takes a simple tensor in this form by some route.
bool imports(const Party& consumer, Form form);

// Whether it does, or asks its producers for that form. A library that knows only one form is not
// to be accused of refusing the other.
bool takes(const Party& consumer, Form form);

// Throws NotClaimed unless the party claims a plain tensor on the host.
void require_plain(const Party& party);

// The control of checks that a refusal satisfies: whether the consumer takes a plain tensor that it
// claims by this route in this form. Tried once per consumer.
bool takes_plain(const Party& consumer, Route route, Form form);

// The rule was met by a refusal where the control holds; otherwise the case is declined, for the
// consumer refuses plain tensors too, or ends as not claimed where it claims none. For checks with
// Check::says_touched.
void touched_if_takes_plain(Case& c, Route route, Form form);
void touched_if_takes_plain(Case& c, const ImportPath& path);

// The import must have been accepted, unless the consumer does not take the form at all: then the
// case ends as not claimed.
void require_accepted(const Import& import, const Party& consumer, Form form);
// As before, of an offer that may have a byte_offset, which may be refused: the case is declined
// then (abi.data.byte-offset-applied).
void require_accepted(const Import& import, const Party& consumer, const Offer& offer);

// The `size` logical bytes of a tensor of the library: by read(), or of a library without it by
// what it exports of the tensor, which ends the case as declined where it exports nothing.
Bytes read_back(const Party& library, const Tensor& tensor, std::size_t size);
// Those of an imported tensor like `spec`.
Bytes read_imported(const Party& consumer, const Tensor& tensor, const TensorSpec& spec);

// The imported tensor is described as `spec` and holds `logical`; fails otherwise.
void expect_holds(const Party& consumer, const Tensor& tensor, const TensorSpec& spec,
                  const Bytes& logical);

// Whether the imported tensor is known to lie on the offer's own memory.
bool shares_memory(const Party& consumer, const Tensor& imported, const DrawnOffer& drawn);

}  // namespace dlcert::testbench
