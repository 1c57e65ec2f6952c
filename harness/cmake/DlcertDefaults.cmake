# SPDX-License-Identifier: Apache-2.0
#
# How every target of the project is compiled and where it lands.

include(CheckLinkerFlag)
include(GNUInstallDirs)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(CMAKE_POSITION_INDEPENDENT_CODE ON) # the worker is a shared library
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# One bin/ and one lib/, as after an installation: programs and adapters find each other the same way.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
file(RELATIVE_PATH dlcert_bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN/${dlcert_bin_to_lib}" "$ORIGIN")

# The first step of an installation: it stops where a file is missing, since workflows build only what they need. The
# script is written by DlcertInstall, when all targets are known.
set(dlcert_require_built "${PROJECT_BINARY_DIR}/require_built.cmake")
install(SCRIPT "${dlcert_require_built}")

# dlcert_install_target(TARGET OPTION...): as install(TARGETS TARGET OPTION...), and the file must have been built.
function(dlcert_install_target target)
  set_property(GLOBAL APPEND PROPERTY DLCERT_INSTALLED ${target})
  install(TARGETS ${target} ${ARGN})
endfunction()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# What a sanitizer finds in our own code ends the process: the runner tells by that whose fault it is
# (harness/src/runner/sanitizer_report.hpp).
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
if(flags MATCHES "-fsanitize=" AND NOT flags MATCHES "-fno-sanitize-recover=all")
  add_compile_options(-fno-sanitize-recover=all)
endif()

if(PROJECT_IS_TOP_LEVEL)

  find_program(DLCERT_CCACHE ccache)
  mark_as_advanced(DLCERT_CCACHE)
  if(DLCERT_CCACHE)
    foreach(language IN ITEMS C CXX)
      if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
        # It refuses precompiled headers unless these are allowed to differ.
        set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                                "${DLCERT_CCACHE}")
      endif()
    endforeach()
  endif()

  foreach(linker IN ITEMS mold lld)
    check_linker_flag(CXX "-fuse-ld=${linker}" DLCERT_LINKER_${linker})
    if(DLCERT_LINKER_${linker})
      add_link_options("-fuse-ld=${linker}")
      break()
    endif()
  endforeach()
endif()
