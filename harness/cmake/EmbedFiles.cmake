# SPDX-License-Identifier: Apache-2.0
#
# cmake -D OUTPUT=<source> -D HEADER=<header> -D NAMESPACE=<namespace> -P EmbedFiles.cmake -- <name>=<file>...
#
# Writes the definitions of a header such as harness/src/register/embedded.hpp: each file as a raw string literal,
# and their digest under the name sha256.

set(files "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  set(argument "${CMAKE_ARGV${index}}")
  if(after_dashes AND argument MATCHES "^([^=]+)=(.+)$")
    file(READ "${CMAKE_MATCH_2}" text)
    string(APPEND files "    {\"${CMAKE_MATCH_1}\", R\"embedded(${text})embedded\"},\n")
  elseif(argument STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

string(SHA256 digest "${files}")

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "@HEADER@"

#include <algorithm>
#include <array>

namespace @NAMESPACE@ {
namespace {

const auto files = std::to_array<EmbeddedFile>({
@files@    {"sha256", "@digest@"},
});

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return files; }

std::string_view embedded_text(std::string_view name) {
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? std::string_view{} : found->text;
}

}  // namespace @NAMESPACE@
]])
