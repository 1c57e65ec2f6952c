# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)

# What all unit tests share. Their code is compiled for a short build, not for speed.
add_library(dlcert_unit_test STATIC "${PROJECT_SOURCE_DIR}/harness/tests/unit_test_main.cpp")
target_link_libraries(dlcert_unit_test PUBLIC GTest::gtest PRIVATE dlcert::warnings)
target_compile_options(dlcert_unit_test PRIVATE -O0)
dlcert_precompile(dlcert_unit_test <gtest/gtest.h>)

# The C compiler as a shell's words, with the sanitizers of this build: for tests that compile programs which load
# what was built here.
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
string(REGEX MATCHALL "-fsanitize=[^ ]+" sanitizers "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${config}}")
if(sanitizers AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  list(APPEND sanitizers -fsanitize-link-c++-runtime -lstdc++) # the program is C, what it loads is not
endif()
list(JOIN sanitizers " " sanitizers)
set(dlcert_c_command "${CMAKE_C_COMPILER} ${sanitizers}")

# Unpacks the inputs of fuzz targets for a test program, as dlcert_add_unit_test says.
function(dlcert_unpack_corpora program)
  if(NOT ARGN)
    return()
  endif()
  set(folder "${CMAKE_BINARY_DIR}/corpora")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    cmake_path(GET file STEM name)
    add_custom_command(
      OUTPUT "${folder}/${name}.unpacked"
      COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/harness/fuzz/corpus.py" unpack "${file}" "${folder}/${name}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${folder}/${name}.unpacked"
      DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/harness/fuzz/corpus.py"
      VERBATIM)
    target_sources(${program} PRIVATE "${folder}/${name}.unpacked")
  endforeach()
  target_compile_definitions(${program} PRIVATE DLCERT_CORPORA="${folder}/")
endfunction()

# dlcert_add_unit_test(NAME <target> SOURCES <file>... [LIBS <target>...] [CORPORA <file>...] [LABEL <label>]
#                      [MOSTLY_WAITS [AT_NIGHT <filter>]])
#
# Builds a GoogleTest program and gives each of its tests to CTest as <target>/<Suite>.<Test>, label
# `unit` unless told otherwise. Tests are listed when CTest runs, so that building never runs what was
# built. A unit test has no reason to be skipped: one that is counts as failed.
#
# CORPORA are inputs of fuzz targets, <name>.corpus. They are unpacked into the folder DLCERT_CORPORA/<name>, which the
# program's preprocessor knows.
#
# With MOSTLY_WAITS, and without sanitizers, CTest has one test, <target>, that runs all of the program, several at once, and
# names those that fail. Tests that the filter AT_NIGHT takes are another one, <target>/at_night, of label nightly.
function(dlcert_add_unit_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "MOSTLY_WAITS" "NAME;LABEL;AT_NIGHT" "SOURCES;LIBS;CORPORA")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dlcert_add_unit_test needs NAME and SOURCES; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} dlcert_unit_test dlcert::warnings)
  target_compile_options(${arg_NAME} PRIVATE -O0)
  dlcert_reuse_precompiled(dlcert_unit_test ${arg_NAME})
  dlcert_unpack_corpora(${arg_NAME} ${arg_CORPORA})
  if(arg_MOSTLY_WAITS AND NOT sanitizers) # with them they compute
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR at_once "3 * ${cores}")
    set(run "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/harness/tests/tests_at_once.py" $<TARGET_FILE:${arg_NAME}>
            ${at_once})
    add_test(NAME ${arg_NAME} COMMAND ${run} "-${arg_AT_NIGHT}")
    set_tests_properties(${arg_NAME} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 580 PROCESSORS ${cores})
    if(arg_AT_NIGHT)
      add_test(NAME ${arg_NAME}/at_night COMMAND ${run} "${arg_AT_NIGHT}")
      set_tests_properties(${arg_NAME}/at_night PROPERTIES LABELS nightly TIMEOUT 580 PROCESSORS ${cores})
    endif()
    return()
  endif()
  gtest_discover_tests(
    ${arg_NAME}
    TEST_PREFIX ${arg_NAME}/
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES
      LABELS ${arg_LABEL}
      TIMEOUT 120
      SKIP_REGULAR_EXPRESSION ""
      FAIL_REGULAR_EXPRESSION "\\[  SKIPPED \\] 1 test, listed below")
endfunction()
