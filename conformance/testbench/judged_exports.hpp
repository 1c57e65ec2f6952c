// SPDX-License-Identifier: Apache-2.0
//
// What a program looks at if an export is wrong. Nothing, if the struct has no name in the trace.
#pragma once

#include <cstdint>
#include <vector>

#include <dlcert/suite/check.hpp>

#include "testbench/exports.hpp"

namespace dlcert::testbench {

// Whether its elements lie in the memory of the tensor, or of another export, as they must or must
// not.
Judgement judged_sharing(const Tensor& tensor, const Managed& managed, bool shared);
Judgement judged_sharing(const Managed& one, const Managed& other, bool shared);
// Whether the export is the versioned struct. Only for programs in Python.
Judgement judged_form(const Managed& managed, bool versioned);
// Its extents.
Judgement judged_shape(const Managed& managed, const std::vector<std::int64_t>& shape);

}  // namespace dlcert::testbench
