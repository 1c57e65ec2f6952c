# SPDX-License-Identifier: Apache-2.0
#
# cmake -D BUILD=<folder> -D OPTIONS=<options> -P counterexamples_stay.cmake
#
# The counterexamples that the log of a test names are there when CTest is done, although it has removed the results.

file(REMOVE_RECURSE "${BUILD}")
execute_process(COMMAND ${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/ctest_project" -B "${BUILD}" ${OPTIONS}
                        COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(
  COMMAND ${CMAKE_CTEST_COMMAND} -R "^certified/lifetime.deleter" --output-on-failure
  WORKING_DIRECTORY "${BUILD}"
  OUTPUT_VARIABLE output)
if(EXISTS "${BUILD}/certification/certified.ctest.json")
  message(FATAL_ERROR "expected that the results are removed:\n${output}")
endif()
string(REGEX MATCHALL "/[^ \n]*[.]counterexamples/[^ \n]+" named "${output}")
if(NOT named)
  message(FATAL_ERROR "expected a counterexample in the log:\n${output}")
endif()
# A name may end with several suffixes, "name.{json,c}".
foreach(name IN LISTS named)
  string(REGEX MATCH "^([^{]*)({([^}]*)})?" name "${name}")
  set(stem "${CMAKE_MATCH_1}")
  string(REPLACE "," ";" suffixes "${CMAKE_MATCH_3}")
  set(files "${stem}")
  if(suffixes)
    list(TRANSFORM suffixes PREPEND "${stem}" OUTPUT_VARIABLE files)
  endif()
  foreach(file IN LISTS files)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "expected '${file}', which the log names, but found none")
    endif()
  endforeach()
endforeach()
file(REMOVE_RECURSE "${BUILD}")
