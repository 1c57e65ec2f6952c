# SPDX-License-Identifier: Apache-2.0
#
# Headers that most files include, read once for many targets. A file includes what it uses all the same: the preset
# dev-clang compiles without these (CMAKE_DISABLE_PRECOMPILE_HEADERS).

set(dlcert_standard_headers
    <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory> <mutex>
    <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <utility> <variant> <vector>)

# dlcert_precompile(<target> [<header>...]): the standard headers and these, for a target without C.
function(dlcert_precompile target)
  target_precompile_headers(${target} PRIVATE ${dlcert_standard_headers} ${ARGN})
endfunction()

# dlcert_reuse_precompiled(<owner> <target>...): what <owner> has precompiled, for targets that are compiled with its
# options. One with C in it does without: CMake looks for C's.
function(dlcert_reuse_precompiled owner)
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    get_target_property(type ${target} TYPE)
    if(NOT sources MATCHES "\\.c(;|$)")
      target_precompile_headers(${target} REUSE_FROM ${owner})
      if(type STREQUAL "EXECUTABLE") # else compiled as for a program alone (-fPIE), which the owner is not
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
        target_compile_options(${target} PRIVATE -fPIC)
      endif()
    endif()
  endforeach()
endfunction()

# Owners are objects alone: the macro <target>_EXPORTS of a shared library would keep others from what it precompiled.
# Of the harness and the checks, which format, and of the reference.
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "// What is precompiled needs a source.\n")
foreach(owner IN ITEMS dlcert_harness_headers dlcert_reference_headers)
  add_library(${owner} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(${owner} PRIVATE dlcert::warnings)
endforeach()
target_link_libraries(dlcert_harness_headers PRIVATE fmt::fmt)
dlcert_precompile(dlcert_harness_headers <fmt/format.h>)
dlcert_precompile(dlcert_reference_headers)
