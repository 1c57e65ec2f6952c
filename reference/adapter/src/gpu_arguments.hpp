// SPDX-License-Identifier: Apache-2.0
//
// Between the adapter ABI's values and those of reference/cuda.
#pragma once

#include <dlcert/adapter.h>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/management.hpp"

namespace dlcert::reference {

// Throws adapter::NotFormable for what C++ cannot pass: bools, floats, and devices of a type that
// PyTorch does not know.
cuda::DeviceArgument device_argument_of(const dlcert_value& value);

dlcert_measurement measurement_of(const cuda::Measurement& measurement);

}  // namespace dlcert::reference
