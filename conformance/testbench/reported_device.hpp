// SPDX-License-Identifier: Apache-2.0
//
// The device that a producer reports of a tensor, whose form is a rule of its own.
#pragma once

#include <cstdint>

#include <dlcert/suite/check.hpp>

namespace dlcert::testbench {

// Returns the device that dlpack_device() reports, in whatever form a Python object does: the form
// is protocol.device.signature. Fails the case unless it reports one. An answer that is none, such
// as an index of None, is the device of no export (protocol.device.matches-export).
dlcert_device reported_device(const Party& producer, const Tensor& tensor);
// Returns the type of that device, even if the index is no integer.
std::int32_t reported_device_type(const Party& producer, const Tensor& tensor);

}  // namespace dlcert::testbench
