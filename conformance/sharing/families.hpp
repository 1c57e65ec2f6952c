// SPDX-License-Identifier: Apache-2.0
//
// The families of sharing checks, one file each.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::sharing {

void register_zero_copy_checks(Suite& suite);
void register_mutation_checks(Suite& suite);
void register_source_checks(Suite& suite);
void register_copy_checks(Suite& suite);
void register_read_only_checks(Suite& suite);
void register_descriptor_checks(Suite& suite);
void register_device_memory_checks(Suite& suite);

}  // namespace dlcert::sharing
