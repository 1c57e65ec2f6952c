# SPDX-License-Identifier: Apache-2.0
#
# Finds the official dlpack.h, in this order:
#   1. an installed header (DLPack_ROOT, CMAKE_PREFIX_PATH, the system), if it is new enough;
#   2. the copy in the `apache-tvm-ffi` wheel, asked through `tvm-ffi-config` (in DLPack_VENV, in the
#      active virtual environment or on PATH);
#   3. the release archive of dmlc/dlpack, pinned by hash (switched off by DLPack_FETCH=OFF).
#
# A header that is too old is refused by name, never used.
#
# Takes:    the version asked for by find_package(), DLPack_VENV, DLPack_FETCH
# Provides: dlpack::dlpack, DLPack_FOUND, DLPack_VERSION, DLPack_INCLUDE_DIR (cached; set it to choose)

option(DLPack_FETCH "Download dlpack.h when no installed copy is new enough" ON)
set(DLPack_VENV "${PROJECT_SOURCE_DIR}/build/venv"
    CACHE PATH "Virtual environment whose apache-tvm-ffi may provide dlpack.h")
mark_as_advanced(DLPack_FETCH DLPack_VENV)

# The header's version, or an empty string when there is no header. Headers before 1.0 have one packed
# number, of which only the digits are trustworthy: they are reported as 0.<digits>.
function(_dlpack_read_version directory result)
  set(header "${directory}/dlpack/dlpack.h")
  set(version "")
  if(EXISTS "${header}")
    file(STRINGS "${header}" lines REGEX "^#define DLPACK_(MAJOR_|MINOR_|)VERSION ")
    if(lines MATCHES "DLPACK_MAJOR_VERSION ([0-9]+)")
      set(version "${CMAKE_MATCH_1}")
      if(lines MATCHES "DLPACK_MINOR_VERSION ([0-9]+)")
        string(APPEND version ".${CMAKE_MATCH_1}")
      endif()
    elseif(lines MATCHES "DLPACK_VERSION 0*([0-9]+)")
      string(REGEX REPLACE "0$" "" digits "${CMAKE_MATCH_1}")
      set(version "0.${digits}")
    else()
      set(version "0.0")
    endif()
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Accepts `candidate` as DLPack_INCLUDE_DIR when its header is new enough and of the same major version;
# otherwise notes why not, for the message at the end.
macro(_dlpack_consider candidate)
  cmake_path(SET _dlpack_directory NORMALIZE "${candidate}/.")
  cmake_path(GET _dlpack_directory PARENT_PATH _dlpack_directory)
  _dlpack_read_version("${_dlpack_directory}" _dlpack_version)
  if(_dlpack_version STREQUAL "")
    list(APPEND _dlpack_refused "no dlpack/dlpack.h in ${_dlpack_directory}")
  elseif(_dlpack_version VERSION_LESS "${DLPack_FIND_VERSION}"
         OR (DLPack_FIND_VERSION_MAJOR AND _dlpack_version VERSION_GREATER_EQUAL
             "${_dlpack_next_major}"))
    list(APPEND _dlpack_refused
         "${_dlpack_directory}/dlpack/dlpack.h is version ${_dlpack_version}, not ${DLPack_FIND_VERSION} or newer")
    if(NOT DLPack_FIND_QUIETLY)
      list(GET _dlpack_refused -1 _dlpack_reason)
      message(STATUS "DLPack refused: ${_dlpack_reason}")
    endif()
  else()
    set(DLPack_INCLUDE_DIR "${_dlpack_directory}" CACHE PATH "Folder that holds dlpack/dlpack.h" FORCE)
  endif()
endmacro()

set(_dlpack_refused "")
math(EXPR _dlpack_next_major "0${DLPack_FIND_VERSION_MAJOR} + 1")

if(DLPack_INCLUDE_DIR)
  set(_dlpack_chosen "${DLPack_INCLUDE_DIR}")
  unset(DLPack_INCLUDE_DIR)
  unset(DLPack_INCLUDE_DIR CACHE)
  _dlpack_consider("${_dlpack_chosen}")
else()
  find_path(_dlpack_installed dlpack/dlpack.h NO_CACHE)
  if(_dlpack_installed)
    _dlpack_consider("${_dlpack_installed}")
  endif()

  if(NOT DLPack_INCLUDE_DIR)
    find_program(_dlpack_tvm_ffi_config tvm-ffi-config NO_CACHE
                 HINTS "${DLPack_VENV}/bin" "$ENV{VIRTUAL_ENV}/bin")
    if(_dlpack_tvm_ffi_config)
      execute_process(COMMAND "${_dlpack_tvm_ffi_config}" --dlpack-includedir
                      OUTPUT_VARIABLE _dlpack_wheel ERROR_VARIABLE _dlpack_error
                      OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _dlpack_status)
      if(_dlpack_status EQUAL 0)
        _dlpack_consider("${_dlpack_wheel}")
      else()
        list(APPEND _dlpack_refused "${_dlpack_tvm_ffi_config} --dlpack-includedir failed: ${_dlpack_error}")
      endif()
    endif()
  endif()

  if(NOT DLPack_INCLUDE_DIR AND DLPack_FETCH)
    include(FetchContent)
    FetchContent_Declare(
      dlpack
      URL https://github.com/dmlc/dlpack/archive/refs/tags/v1.3.tar.gz
      URL_HASH SHA256=f3d567f885f6c142183afc91a58873b31d0e0b36faa2e45c232b98c74596404f
      DOWNLOAD_EXTRACT_TIMESTAMP TRUE
      INACTIVITY_TIMEOUT 30
      SOURCE_SUBDIR only-the-header-is-wanted)
    FetchContent_MakeAvailable(dlpack)
    _dlpack_consider("${dlpack_SOURCE_DIR}/include")
  endif()
endif()

set(DLPack_VERSION "")
if(DLPack_INCLUDE_DIR)
  set(DLPack_VERSION "${_dlpack_version}")
endif()

list(JOIN _dlpack_refused "; " _dlpack_refused)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  DLPack
  REQUIRED_VARS DLPack_INCLUDE_DIR
  VERSION_VAR DLPack_VERSION
  REASON_FAILURE_MESSAGE "${_dlpack_refused}")
mark_as_advanced(DLPack_INCLUDE_DIR)

if(DLPack_FOUND AND NOT TARGET dlpack::dlpack)
  add_library(dlpack::dlpack INTERFACE IMPORTED)
  target_include_directories(dlpack::dlpack INTERFACE "${DLPack_INCLUDE_DIR}")
endif()
