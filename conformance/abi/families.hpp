// SPDX-License-Identifier: Apache-2.0
//
// The families of abi checks, one file each.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert::abi {

void register_header_checks(Suite& suite);
void register_layout_checks(Suite& suite);
void register_version_checks(Suite& suite);
void register_device_code_checks(Suite& suite);
void register_number_checks(Suite& suite);
void register_complex_and_bool_checks(Suite& suite);
void register_small_float_checks(Suite& suite);
void register_sub_byte_checks(Suite& suite);
void register_dtype_code_checks(Suite& suite);
void register_lane_checks(Suite& suite);
void register_data_checks(Suite& suite);
void register_empty_data_checks(Suite& suite);
void register_rank_checks(Suite& suite);
void register_shape_checks(Suite& suite);
void register_stride_checks(Suite& suite);
void register_unusual_stride_checks(Suite& suite);
void register_flag_checks(Suite& suite);
void register_robustness_checks(Suite& suite);
void register_device_memory_checks(Suite& suite);

}  // namespace dlcert::abi
