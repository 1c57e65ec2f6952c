# SPDX-License-Identifier: Apache-2.0
#
# dlcert_add_certification(NAME <name> ADAPTER <target> [FEATURES <feature>...] [ARGS <option>...])
# dlcert_add_certification(NAME <name> ADAPTER python:<adapter> [PYTHON <program>] ...)
#
# Certifies the library behind the adapter under CTest:
#
#   <name>/certify         runs the whole certification once; fails for what no requirement tells (its results
#                          are incomplete, the library died outside of checks, a role gave no evidence,
#                          --require, --baseline), or when not every requirement has its test here
#   <name>/<requirement>   reports that requirement's verdict; skipped where it is not applicable. A SHOULD or
#                          MAY that fails passes, with a line "warning: ..." in its output.
#                          Labels: <name>, the requirement's area, its level (MUST, SHOULD, MAY)
#   <name>/features        with FEATURES: fails where one of them is not claimed, or a requirement without a
#                          test here is not kept; says what is claimed beside
#   <name>/cleanup         removes the results
#
# `ctest -R <requirement>` brings <name>/certify along; `ctest -R <requirement> -FS '.*'` does without,
# and the requirement is then run alone.
#
# The build target certify-<name>, part of the target `certify`, runs the same certification outside
# CTest, prints the verdict and a line for each failure, keeps its results in
# <project binary dir>/certification/<name>/ and fails as `dlcert certify` does.
#
# ADAPTER   a MODULE or SHARED library is loaded as it is; a STATIC or OBJECT library is first linked
#           into a module named <name>-adapter, all of it. python:... is an adapter in Python, as
#           `dlcert certify` takes it; a file's path is relative to the current source folder
# PYTHON    its interpreter; without it, that of whoever runs the tests
# FEATURES  what the library is to claim: only the requirements of these features become tests, and of the
#           feature `header`; without it, every requirement of the register does
# ARGS      options for `dlcert certify`, such as --waivers FILE or --spec 1.1
#
# With DLCERT_ONE_TEST_PER_AREA on where it is called, a test <name>/<area> takes the place of those of an area's
# requirements. It fails if one of them fails, and names it; it is skipped where none of them is applicable. dlcert's own
# build has it, for the libraries that it certifies.
#
# The project calls enable_testing() first: without it there are no tests, only the target certify-<name>.
#
# Nothing that was built is run at build time, and no file of the register is read twice.

function(dlcert_add_certification)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;ADAPTER;PYTHON" "FEATURES;ARGS")
  if(NOT arg_NAME OR NOT arg_ADAPTER OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dlcert_add_certification needs NAME and ADAPTER; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(arg_ADAPTER MATCHES "^python:")
    _dlcert_python_adapter("${arg_ADAPTER}" "${arg_PYTHON}" options)
    set(module dlcert_python_adapter)
    set(c_levels yes python-only)
  else()
    if(NOT TARGET ${arg_ADAPTER})
      message(FATAL_ERROR "dlcert_add_certification(NAME ${arg_NAME}): no target '${arg_ADAPTER}'")
    elseif(arg_PYTHON)
      message(FATAL_ERROR "dlcert_add_certification(NAME ${arg_NAME}): PYTHON is for ADAPTER python:..., not for "
                          "'${arg_ADAPTER}'")
    endif()
    _dlcert_adapter_module(${arg_NAME} ${arg_ADAPTER} module)
    set(options --adapter "$<TARGET_FILE:${module}>")
    set(c_levels yes)
  endif()
  list(APPEND options ${arg_ARGS})
  _dlcert_add_certify_target(${arg_NAME} ${module} "${options}")
  _dlcert_add_verdict_tests(${arg_NAME} "${c_levels}" "${arg_FEATURES}" "${options}")
endfunction()

# Sets `result` to the options of an adapter in Python.
function(_dlcert_python_adapter locator python result)
  if(locator MATCHES "^python:(.*(/|\\.py$).*)$")
    cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE file)
    set(locator "python:${file}")
  endif()
  set(options --adapter "${locator}")
  if(python)
    list(APPEND options --python "${python}")
  endif()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

# Sets `result` to a target that dlopen() takes: `adapter` itself, or a module around it.
function(_dlcert_adapter_module name adapter result)
  get_target_property(aliased ${adapter} ALIASED_TARGET)
  if(aliased)
    set(adapter ${aliased})
  endif()
  get_target_property(type ${adapter} TYPE)
  if(type MATCHES "^(MODULE|SHARED)_LIBRARY$")
    set(${result} ${adapter} PARENT_SCOPE)
    return()
  elseif(NOT type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    message(FATAL_ERROR "dlcert_add_certification(NAME ${name}): '${adapter}' is of type ${type}, not a "
                        "module, shared, static or object library")
  endif()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(suffix cpp)
  if("C" IN_LIST languages)
    set(suffix c)
  endif()
  set(source "${PROJECT_BINARY_DIR}/certification/${name}.${suffix}")
  file(CONFIGURE OUTPUT "${source}" CONTENT "/* A module needs a source; @adapter@ brings the code. */\n" @ONLY)
  add_library(${name}-adapter MODULE "${source}")
  set_target_properties(${name}-adapter PROPERTIES PREFIX "")
  set_target_properties(${adapter} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(type STREQUAL "STATIC_LIBRARY")
    target_link_libraries(${name}-adapter PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${adapter}>")
  else()
    target_link_libraries(${name}-adapter PRIVATE ${adapter})
  endif()
  set(${result} ${name}-adapter PARENT_SCOPE)
endfunction()

function(_dlcert_add_certify_target name module options)
  set(folder "${PROJECT_BINARY_DIR}/certification/${name}")
  add_custom_target(
    certify-${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
    COMMAND
      "$<TARGET_FILE:dlcert::dlcert>" certify --brief --results "${folder}/results.json" --junit "${folder}/junit.xml"
      --markdown "${folder}/report.md" ${options}
    COMMENT "Certifying ${name}"
    USES_TERMINAL VERBATIM)
  foreach(needed IN ITEMS ${module} dlcert-worker)
    if(TARGET ${needed})
      add_dependencies(certify-${name} ${needed})
    endif()
  endforeach()
  if(NOT TARGET certify)
    add_custom_target(certify)
  endif()
  add_dependencies(certify certify-${name})
endfunction()

function(_dlcert_add_verdict_tests name c_levels features options)
  set(results "${PROJECT_BINARY_DIR}/certification/${name}.ctest.json")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/certification")
  set(judged --results "${results}" ${options})

  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  set(registered "${PROJECT_BINARY_DIR}/certification/requirements.txt")
  if("python-only" IN_LIST c_levels)
    set(registered "${PROJECT_BINARY_DIR}/certification/requirements_of_python.txt")
  endif()
  _dlcert_write_registered("${registered}" "${c_levels}")
  add_test(NAME ${name}/certify COMMAND dlcert::dlcert certify --fixture --registered "${registered}"
                                        ${judged})
  # Counterexamples stay: the log of a test names them. The next certification removes them.
  add_test(NAME ${name}/cleanup COMMAND ${CMAKE_COMMAND} -E rm -f "${results}")
  set_tests_properties(${name}/certify PROPERTIES FIXTURES_SETUP dlcert-${name} LABELS ${name}
                                                  PROCESSORS ${cores})
  set_tests_properties(${name}/cleanup PROPERTIES FIXTURES_CLEANUP dlcert-${name} LABELS ${name})

  set(selected "")
  if(features)
    _dlcert_requirements_of_features(${name} "${features}" selected)
    list(TRANSFORM features PREPEND "--feature=" OUTPUT_VARIABLE claimed)
    add_test(NAME ${name}/features COMMAND dlcert::dlcert verdict ${claimed} ${judged})
    set_tests_properties(${name}/features PROPERTIES FIXTURES_REQUIRED dlcert-${name} LABELS ${name})
  endif()
  set(tested 0)
  get_property(areas GLOBAL PROPERTY DLCERT_AREAS)
  foreach(area IN LISTS areas)
    set(of_area "")
    foreach(level IN ITEMS MUST SHOULD MAY)
      _dlcert_requirements(${area} ${level} "${c_levels}" ids)
      if(features)
        _dlcert_intersection(ids "${selected}")
      endif()
      list(APPEND of_area ${ids})
      if(DLCERT_ONE_TEST_PER_AREA)
        continue()
      endif()
      foreach(id IN LISTS ids)
        _dlcert_add_verdict_test(${name} ${id} "${area};${level}" ${id} ${judged})
      endforeach()
    endforeach()
    if(of_area AND DLCERT_ONE_TEST_PER_AREA)
      _dlcert_add_verdict_test(${name} ${area} ${area} ${of_area} ${judged})
    endif()
    list(LENGTH of_area count)
    math(EXPR tested "${tested} + ${count}")
  endforeach()
  if(tested EQUAL 0)
    message(FATAL_ERROR "dlcert_add_certification(NAME ${name}): no requirement would be tested")
  endif()
endfunction()

# The test <name>/<test> reports what the certification has found of the requirements in the arguments.
function(_dlcert_add_verdict_test name test labels)
  add_test(NAME ${name}/${test} COMMAND dlcert::dlcert verdict ${ARGN})
  set_tests_properties(${name}/${test} PROPERTIES FIXTURES_REQUIRED dlcert-${name} SKIP_RETURN_CODE 77 LABELS
                                                  "${name};${labels}")
endfunction()

# Sets `result` to the requirements of the features, and of those that are part of one of them. A feature that
# there is not is an error.
function(_dlcert_requirements_of_features name features result)
  get_property(folder GLOBAL PROPERTY DLCERT_REGISTER_DIR)
  set(file "${folder}/../features.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(JSON known GET "${text}" features)
  string(JSON count LENGTH "${known}")
  math(EXPR last "${count} - 1")
  set(unknown ${features})
  set(parts header)
  foreach(index RANGE ${last})
    string(JSON id GET "${known}" ${index} id)
    list(REMOVE_ITEM unknown ${id})
    string(JSON wholes ERROR_VARIABLE none GET "${known}" ${index} counted_in)
    foreach(feature IN LISTS features)
      if(id STREQUAL feature OR (NOT none AND wholes MATCHES "\"${feature}\""))
        list(APPEND parts ${id})
      endif()
    endforeach()
  endforeach()
  if(unknown)
    message(FATAL_ERROR "dlcert_add_certification(NAME ${name}): no feature '${unknown}' (see `dlcert list`)")
  endif()
  set(ids "")
  get_property(areas GLOBAL PROPERTY DLCERT_AREAS)
  foreach(area IN LISTS areas)
    _dlcert_requirements(${area} MUST yes any)
    foreach(part IN LISTS parts)
      get_property(of_part GLOBAL PROPERTY DLCERT_REQUIREMENTS_${area}_of_${part})
      list(APPEND ids ${of_part})
    endforeach()
  endforeach()
  set(${result} ${ids} PARENT_SCOPE)
endfunction()

# Leaves of the list that is called `name` what is in `kept` as well.
function(_dlcert_intersection name kept)
  set(both "")
  foreach(item IN LISTS ${name})
    if(item IN_LIST kept)
      list(APPEND both ${item})
    endif()
  endforeach()
  set(${name} ${both} PARENT_SCOPE)
endfunction()

# Lists the requirements of these c_levels, which have tests, for the program, which knows those that there are: of one that is
# missing here no test could fail.
function(_dlcert_write_registered file c_levels)
  set(lines "")
  get_property(areas GLOBAL PROPERTY DLCERT_AREAS)
  foreach(area IN LISTS areas)
    foreach(level IN ITEMS MUST SHOULD MAY)
      _dlcert_requirements(${area} ${level} "${c_levels}" ids)
      foreach(id IN LISTS ids)
        string(APPEND lines "${id} ${level}\n")
      endforeach()
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${lines}" @ONLY)
endfunction()

# Sets `result` to the IDs of an area's requirements of one level and of these c_levels: what can be tested from C is
# "yes".
function(_dlcert_requirements area level c_levels result)
  get_property(known GLOBAL PROPERTY DLCERT_REQUIREMENTS_${area} SET)
  if(NOT known)
    _dlcert_read_area(${area})
  endif()
  set(all "")
  foreach(c_level IN LISTS c_levels)
    get_property(ids GLOBAL PROPERTY DLCERT_REQUIREMENTS_${area}_${level}_${c_level})
    list(APPEND all ${ids})
  endforeach()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# Reads one file of the register into the global properties DLCERT_REQUIREMENTS_<area>_<level>_<c_level> and
# DLCERT_REQUIREMENTS_<area>_of_<feature>.
function(_dlcert_read_area area)
  get_property(folder GLOBAL PROPERTY DLCERT_REGISTER_DIR)
  set(file "${folder}/${area}.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(JSON requirements GET "${text}" requirements)
  string(JSON count LENGTH "${requirements}")
  if(count EQUAL 0)
    message(FATAL_ERROR "dlcert: ${file} holds no requirement")
  endif()
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON requirement GET "${requirements}" ${index})
    foreach(member IN ITEMS id level c_level feature)
      string(JSON ${member} GET "${requirement}" ${member})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY DLCERT_REQUIREMENTS_${area}_${level}_${c_level} ${id})
    set_property(GLOBAL APPEND PROPERTY DLCERT_REQUIREMENTS_${area}_of_${feature} ${id})
  endforeach()
  set_property(GLOBAL PROPERTY DLCERT_REQUIREMENTS_${area} ${count})
endfunction()
