// SPDX-License-Identifier: Apache-2.0
//
// Between the adapter ABI's values and the reference's.
#pragma once

#include <dlcert/adapter.h>

#include "dlcert/tensor/dtype.hpp"
#include "dlcert/tensor/request.hpp"
#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

Argument argument_of(const dlcert_value& value);
dlcert_value value_of(const Argument& argument);  // text stays borrowed
ExportRequest request_of(const dlcert_request& request);
dlcert_request request_of(const ExportRequest& request);
ImportRequest request_of(const dlcert_import_request& request);

// Whether the reference has such a tensor.
bool has(const dlcert_tensor_spec& spec);
// The element type of a spec that it has.
Dtype dtype_of(const dlcert_tensor_spec& spec);
// A writable tensor of zeros with the layout of a spec that it has, on storage of its own.
Tensor allocate(const dlcert_tensor_spec& spec);

}  // namespace dlcert::reference
