# SPDX-License-Identifier: Apache-2.0
#
# cmake -D PREFIX=<installation> -D PROJECT=<source> -D BUILD=<folder> -D OPTIONS=<options> -P shortened_register.cmake
#
# An installation whose register lost one requirement: it has no test, so the fixture of the others must fail.

file(REMOVE_RECURSE "${BUILD}")
file(COPY "${PREFIX}/" DESTINATION "${BUILD}/prefix")
file(GLOB_RECURSE file "${BUILD}/prefix/*/lifetime.json")
file(READ "${file}" text)
string(JSON requirements GET "${text}" requirements)
string(JSON lost GET "${requirements}" 0 id)
string(JSON requirements REMOVE "${requirements}" 0)
string(JSON text SET "${text}" requirements "${requirements}")
file(WRITE "${file}" "${text}")

execute_process(COMMAND ${CMAKE_COMMAND} -S "${PROJECT}" -B "${BUILD}/build" "-DCMAKE_PREFIX_PATH=${BUILD}/prefix" ${OPTIONS}
                        COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build "${BUILD}/build" --target acme-adapter COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND ${CMAKE_CTEST_COMMAND} -L lifetime --output-on-failure
  WORKING_DIRECTORY "${BUILD}/build"
  OUTPUT_VARIABLE output
  RESULT_VARIABLE result)
file(REMOVE_RECURSE "${BUILD}")
if(result EQUAL 0 OR NOT output MATCHES "expected tests of [0-9]+ requirements but found [0-9]+, which differ in '${lost}")
  message(FATAL_ERROR "expected that ctest misses ${lost} but found exit code ${result}:\n${output}")
endif()
