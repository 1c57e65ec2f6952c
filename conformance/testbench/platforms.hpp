// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::testbench {

// Adds a check for each vendor: `check.sentence` ends with "on CUDA" or "on ROCm".
void add_for_both(Suite& suite, Check check);
void add_for_cuda(Suite& suite, Check check);
void add_for_rocm(Suite& suite, Check check);

}  // namespace dlcert::testbench
