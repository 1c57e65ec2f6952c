// SPDX-License-Identifier: Apache-2.0
//
// Files of the harness that are compiled in as text: parts of every stand-alone program.
#pragma once

#include <string_view>

namespace dlcert {

extern const std::string_view adapter_abi_text;              // include/dlcert/adapter.h
extern const std::string_view standalone_dlpack_text;        // dlpack.c
extern const std::string_view standalone_python_text;        // parts.py
extern const std::string_view standalone_recorded_text;      // recorded.c
extern const std::string_view standalone_judge_text;         // judge.c
extern const std::string_view standalone_calls_text;         // calls.c
extern const std::string_view standalone_counterparts_text;  // counterparts.c

}  // namespace dlcert
