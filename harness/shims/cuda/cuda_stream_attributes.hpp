// SPDX-License-Identifier: Apache-2.0
//
// Attributes of streams: hints, which change no order.

#pragma once

#include <cuda_runtime_api.h>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

Status stream_attribute(SimulatedDriver& driver, Stream stream, int attribute,
                        cudaLaunchAttributeValue& out);
Status set_stream_attribute(SimulatedDriver& driver, Stream stream, int attribute,
                            const cudaLaunchAttributeValue& value);
Status copy_stream_attributes(SimulatedDriver& driver, Stream to, Stream from);

}  // namespace dlcert::shim
