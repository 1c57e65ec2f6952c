# SPDX-License-Identifier: Apache-2.0
#
# Adapters of C and C++ libraries that come with wheels.

set(DLCERT_WHEELS "" CACHE STRING "Virtual environments in whose wheels libraries to be certified are looked for, beside DLPack_VENV")

# dlcert_find_wheel(<result> <package> <file>...)
#
# Sets <result> to the folder of a Python package in the first of these virtual environments that has all of the
# files there, each a glob; else to an empty string, and says so.
function(dlcert_find_wheel result package)
  set(${result} "" PARENT_SCOPE)
  foreach(venv IN LISTS DLPack_VENV DLCERT_WHEELS)
    file(GLOB folder "${venv}/lib/python3*/site-packages/${package}")
    set(lacks "")
    foreach(file IN LISTS ARGN)
      file(GLOB found "${folder}/${file}")
      if(NOT folder OR NOT found)
        set(lacks "${file}")
      endif()
    endforeach()
    if(folder AND NOT lacks)
      set(${result} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(STATUS "Not certified: no ${package} with ${ARGN} in ${DLPack_VENV} ${DLCERT_WHEELS}")
endfunction()

# dlcert_add_library_adapter(<name> SOURCE <file> LIBRARIES <glob or target>... [INCLUDES <folder>...] [VERSION <text>])
#
# Builds the module dlcert_<name>_adapter, which finds the libraries where they are now. A version is told to the source as
# DLCERT_<SOURCE'S FOLDER>_VERSION. The source has at most 60 lines that are not blank.
function(dlcert_add_library_adapter name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;VERSION" "LIBRARIES;INCLUDES")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_SOURCE}")
  file(READ "${arg_SOURCE}" text)
  string(REGEX MATCHALL "\n[^\n]" lines "\n${text}")
  list(LENGTH lines line_count)
  if(line_count GREATER 60)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE} has ${line_count} lines; 60 are the limit")
  endif()
  set(target dlcert_${name}_adapter)
  add_library(${target} MODULE "${arg_SOURCE}")
  target_include_directories(${target} SYSTEM PRIVATE ${arg_INCLUDES})
  foreach(library IN LISTS arg_LIBRARIES)
    if(NOT TARGET "${library}")
      file(GLOB library "${library}")
    endif()
    target_link_libraries(${target} PRIVATE "${library}")
  endforeach()
  target_link_libraries(${target} PRIVATE dlcert::adapter_abi dlcert::warnings)
  # What the compiler fears of the libraries' own inline functions is not ours to mend; of a file, so that it comes last.
  set_source_files_properties("${arg_SOURCE}" PROPERTIES COMPILE_OPTIONS -Wno-null-dereference)
  # Deleters of exports may be code of the module itself. What the libraries need in their turn, they find themselves.
  target_link_options(${target} PRIVATE LINKER:-z,nodelete LINKER:--allow-shlib-undefined)
  if(arg_VERSION)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
    string(TOUPPER "DLCERT_${folder}_VERSION" macro)
    target_compile_definitions(${target} PRIVATE "${macro}=\"${arg_VERSION}\"")
  endif()
endfunction()

# Sets <result> to the version of a package that lies in <folder>, by its metadata.
function(dlcert_wheel_version result folder distribution)
  cmake_path(GET folder PARENT_PATH site)
  file(GLOB metadata "${site}/${distribution}-*.dist-info/METADATA")
  set(version "unknown")
  if(metadata)
    file(STRINGS "${metadata}" line REGEX "^Version: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^Version: ([^+]*).*" "\\1" version "${line}")
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()
