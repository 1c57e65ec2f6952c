// SPDX-License-Identifier: Apache-2.0
//
// Tensors on the further devices of a library: another device of the host, or one whose memory only
// the library reaches. Checks look at their descriptors alone. For checks with_device_tensors() of
// Platform::any.
#pragma once

#include <cstdint>
#include <optional>

#include <dlcert/suite/check.hpp>

#include "testbench/exports.hpp"

namespace dlcert::testbench {

// A tensor of `library` on a drawn one of its further devices, of this type if one is given. Ends
// the case as not claimed where there is none: where `library` claims no tensor there, does not
// make it, or describes it as on another device.
Source make_on_further_device(Case& c, const Party& library,
                              std::optional<std::int32_t> device_type = {});

}  // namespace dlcert::testbench
