// SPDX-License-Identifier: Apache-2.0

#include "program_fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../programs/program.hpp"

namespace dlcert::driver {
namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "program fuzzer: expected %s\n", what.c_str());
  std::abort();
}

std::string text_of(const std::vector<programs::Program>& parsed) {
  std::string text;
  for (const programs::Program& program : parsed)
    text += to_text(program);
  return text;
}

void require_message(const std::string& message) {
  const bool is_one = message.starts_with("input:") && message.find('\n') == std::string::npos &&
                      message.find(": expected ") != std::string::npos &&
                      message.find(" but found ") != std::string::npos;
  require(is_one, "one line of what was expected but found '" + message + "'");
}

}  // namespace

void parse_what_text_says(std::string_view text) {
  std::string first;
  try {
    first = text_of(programs::parse("input", text, programs::Unrecorded::allowed));
  } catch (const programs::ParseError& error) {
    return require_message(error.what());
  }
  const auto again = programs::parse("again", first, programs::Unrecorded::allowed);
  require(text_of(again) == first, "the same programs but found '" + text_of(again) + "'");
}

}  // namespace dlcert::driver
