// SPDX-License-Identifier: Apache-2.0
//
// Tensors wherever the case has them (generators/placement.hpp): the harness's own in memory of a
// device, and the elements of any tensor, which the host cannot read there.
#pragma once

#include <memory>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert::testbench {

// Runs the body with all that it draws on a device of the check's vendor, drawn, which is current
// meanwhile. Not claimed where the driver has none.
void run_on_a_device(Case& c, void (*body)(Case&));
template <void (*body)(Case&)>
void on_a_device(Case& c) {
  run_on_a_device(c, body);
}

// An offer with this descriptor of a tensor like `spec` that holds `logical`: in memory of the
// harness, or where `spec` lies on a device, in memory there, which ends with the case.
std::unique_ptr<Offer> place_offer(const TensorSpec& spec, const Bytes& logical,
                                   Descriptor descriptor);
std::unique_ptr<Offer> place_offer(const TensorSpec& spec, const Bytes& logical, Form form,
                                   bool use_byte_offset = false);
// Changes what such an offer holds to `logical`.
void set_elements(Offer& offer, const TensorSpec& spec, const Bytes& logical);
// Whether an address lies in the memory of such an offer.
bool lies_in(const Offer& offer, const TensorSpec& spec, const std::byte* address);

// Whether the host reads this memory through the driver alone.
bool needs_driver(dlcert_device device);
// The logical bytes of the elements of `spec`, whose first is at `first`, and back. In memory of a
// device behind all work there, as order is no matter of theirs; fails the case where the driver
// knows no such memory.
Bytes elements_at(const TensorSpec& spec, const std::byte* first);
void write_elements_at(const TensorSpec& spec, std::byte* first, const Bytes& logical);

}  // namespace dlcert::testbench
