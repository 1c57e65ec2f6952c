# SPDX-License-Identifier: Apache-2.0
#
# Coverage of reference/ by the certification alone. Included after all targets are defined.
#
# The target coverage-report certifies the reference with nothing but the worker, as it is and as
# later releases behave, prints a summary, writes <build>/coverage/index.html, coverage.info (lcov's
# tracefile) and requirements.md beside it, and fails where a part of the reference stays below the
# two limits. Branches that are there because a call may throw are left out
# (without_throw_branches.py).

set(DLCERT_COVERAGE_LINES 95 CACHE STRING "Least percentage of lines of each part for coverage-report")
set(DLCERT_COVERAGE_BRANCHES 85 CACHE STRING "Least percentage of branches of each part for coverage-report")

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "DLCERT_COVERAGE needs g++ and its gcov, not ${CMAKE_CXX_COMPILER_ID}")
endif()
find_program(DLCERT_GCOVR gcovr REQUIRED)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# Drivers are what certifications run on, not what they judge: their own tests cover them. What is left of
# reference/driver is shown without a goal.
set(with_goals reference/tensor reference/cuda reference/adapter)
set(measured ${with_goals} reference/driver)
set(left_out "reference/driver/(src/(simulated|cuda|hip|vendor)/|src/(driver|select|status)\\.cpp|include/dlcert/driver/(driver|simulated|select|status)\\.hpp)")
# Sparse products are there to be launched on real devices: no function of the adapter ABI leads to them.
list(APPEND left_out "reference/cuda/(src|include/dlcert/cuda)/sparse_")
# How a driver reads the visible list: no library does, so no certification leads there either.
list(APPEND left_out "reference/cuda/(src|include/dlcert/cuda)/driver_rules")

foreach(folder IN LISTS measured)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "_LIBRARY$" OR type STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PRIVATE --coverage)
  endforeach()
endforeach()

# Most of the worker's processes end by _exit, where gcov would not write what it counted; one that has nothing left to
# do ends by std::exit, unless the library is in an interpreter.
target_sources(dlcert_worker_module PRIVATE "${PROJECT_SOURCE_DIR}/harness/src/worker/coverage_exit.c")

get_property(certify_later GLOBAL PROPERTY DLCERT_CERTIFY_LATER_REFERENCE)
set(report "${PROJECT_BINARY_DIR}/coverage")
set(filters "${measured}")
list(TRANSFORM filters REPLACE "(.+)" "--filter;${PROJECT_SOURCE_DIR}/\\1/")
list(TRANSFORM left_out PREPEND "--exclude;${PROJECT_SOURCE_DIR}/")
add_custom_target(
  coverage-report
  COMMAND find "${PROJECT_BINARY_DIR}" -name "*.gcda" -delete
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${report}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${report}"
  COMMAND "$<TARGET_FILE:dlcert>" certify --adapter "$<TARGET_FILE:dlcert_reference_adapter>" --results
          "${report}/results.json"
  COMMAND "$<TARGET_FILE:dlcert>" ${certify_later}
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/reports/requirement_coverage.py"
          "${PROJECT_SOURCE_DIR}/conformance/requirements"
          "${PROJECT_SOURCE_DIR}/fixtures/mutants/manifest.json" "${report}/results.json"
          "${report}/requirements.md"
  COMMAND "${DLCERT_GCOVR}" --root "${PROJECT_SOURCE_DIR}" ${filters} ${left_out} --json
          "${report}/trace.json" "${PROJECT_BINARY_DIR}"
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/without_throw_branches.py" "${PROJECT_SOURCE_DIR}"
          "${PROJECT_BINARY_DIR}" "${report}/trace.json"
  COMMAND "${DLCERT_GCOVR}" --root "${PROJECT_SOURCE_DIR}" --add-tracefile "${report}/trace.json" --txt
          --print-summary --html-details "${report}/index.html"
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/lcov_tracefile.py" "${PROJECT_SOURCE_DIR}"
          "${report}/trace.json" "${report}/coverage.info"
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/coverage_goals.py" "${report}/trace.json"
          ${DLCERT_COVERAGE_LINES} ${DLCERT_COVERAGE_BRANCHES} ${with_goals} --shown reference/driver
  COMMENT "Measuring what the certification covers of the reference"
  USES_TERMINAL VERBATIM)
add_dependencies(coverage-report dlcert-worker dlcert_reference_adapter dlcert_reference_later_adapter)
