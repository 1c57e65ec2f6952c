// SPDX-License-Identifier: Apache-2.0
//
// The area abi: what the structs of DLPack look like and what their fields mean, on both sides of
// an exchange.

#include "abi/families.hpp"
#include "areas.hpp"

namespace dlcert {

void register_abi_checks(Suite& suite) {
  abi::register_header_checks(suite);
  abi::register_layout_checks(suite);
  abi::register_version_checks(suite);
  abi::register_device_code_checks(suite);
  abi::register_number_checks(suite);
  abi::register_complex_and_bool_checks(suite);
  abi::register_small_float_checks(suite);
  abi::register_sub_byte_checks(suite);
  abi::register_dtype_code_checks(suite);
  abi::register_lane_checks(suite);
  abi::register_data_checks(suite);
  abi::register_empty_data_checks(suite);
  abi::register_rank_checks(suite);
  abi::register_shape_checks(suite);
  abi::register_stride_checks(suite);
  abi::register_unusual_stride_checks(suite);
  abi::register_flag_checks(suite);
  abi::register_robustness_checks(suite);
  abi::register_device_memory_checks(suite);
}

}  // namespace dlcert
