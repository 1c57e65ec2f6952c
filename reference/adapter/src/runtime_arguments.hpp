// SPDX-License-Identifier: Apache-2.0
//
// Between the adapter ABI's values and those of reference/cuda: what only the runtime needs.
#pragma once

#include <dlcert/adapter.h>

#include <string_view>

#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/streams.hpp"
#include "dlcert/driver/status.hpp"

namespace dlcert::reference {

// Throws adapter::NotFormable for unknown bindings.
cuda::Build build_of(const dlcert_build& build, driver::Vendor vendor);

cuda::Stream stream_of(const dlcert_runtime_stream& stream);
dlcert_runtime_stream stream_of(const cuda::Stream& stream);

// By PyTorch's names, "uint8". Throws std::out_of_range for others.
dlcert_dtype dtype_named(std::string_view name);

}  // namespace dlcert::reference
