// SPDX-License-Identifier: Apache-2.0
//
// Tensors on a device. How a library treats one may depend on its type, rank and size.
#pragma once

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spec.hpp>

namespace dlcert {

// A compact tensor with elements of whole bytes, any bits of which are values: mostly a few
// float32; now and then another type, rank 0 or up to 6, or up to a few MiB. `party` claims it
// where it claims such tensors on `device`.
TensorSpec draw_device_spec(Draw& draw, const Party& party, dlcert_device device);

}  // namespace dlcert
