// SPDX-License-Identifier: Apache-2.0
//
// A fault that lies in the struct which a library handed over, as a C11 program that needs neither
// the library nor its adapter: it holds the struct as it was recorded, and judges it. It does not
// repeat what the library did; the program beside it (standalone.hpp) does.
//
// The statements define `exported` and end with `return MUST(...);`
// (dlcert/suite/recording.hpp). They may use what recorded.c defines: MUST, NOT_RECORDED,
// is_at_most(), stride_of(), shape_is(), has_no_negative_extent(), bytes_of_element(),
// element_count(), reaches_within(), elements_are().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct RecordedProgram {
  // Shown in the program's heading: `library` with its version, `message` is what the check said,
  // `source` where the rule is from, `program` the name of the file that calls the library; the
  // last two may be empty.
  std::string_view requirement, sentence, library, message, source, program;
  std::vector<std::string> trace;  // the calls that led to the struct, for people
  std::vector<std::string> statements;
};

// The header that every such program includes, and its name.
inline constexpr std::string_view recorded_header_name = "dlcert_recorded.h";
std::string recorded_header();

// The program as C source.
std::string to_source(const RecordedProgram& program);

}  // namespace dlcert
