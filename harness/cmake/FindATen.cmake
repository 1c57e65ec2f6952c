# SPDX-License-Identifier: Apache-2.0
#
# Finds the CPU part of PyTorch's C++ library. The package's own TorchConfig.cmake also wants the
# development files of everything that PyTorch was ever built with; a header and two libraries will do.
#
# Provides: ATen::cpu, ATen_FOUND, ATen_VERSION

find_path(ATen_INCLUDE_DIR ATen/DLConvertor.h HINTS "${Torch_DIR}/../../../include")
find_library(ATen_CPU_LIBRARY torch_cpu HINTS "${Torch_DIR}/../../../lib")
find_library(ATen_C10_LIBRARY c10 HINTS "${Torch_DIR}/../../../lib")
mark_as_advanced(ATen_INCLUDE_DIR ATen_CPU_LIBRARY ATen_C10_LIBRARY)

set(ATen_VERSION)
find_file(ATen_VERSION_HEADER torch/version.h
          HINTS "${ATen_INCLUDE_DIR}" "${ATen_INCLUDE_DIR}/torch/csrc/api/include")
mark_as_advanced(ATen_VERSION_HEADER)
if(ATen_VERSION_HEADER)
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS "${ATen_VERSION_HEADER}" line REGEX "^#define TORCH_VERSION_${part} [0-9]+$")
    string(REGEX REPLACE ".* " "" number "${line}")
    list(APPEND ATen_VERSION "${number}")
  endforeach()
  list(JOIN ATen_VERSION "." ATen_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ATen
  REQUIRED_VARS ATen_CPU_LIBRARY ATen_C10_LIBRARY ATen_INCLUDE_DIR
  VERSION_VAR ATen_VERSION)

if(ATen_FOUND AND NOT TARGET ATen::cpu)
  add_library(ATen::cpu INTERFACE IMPORTED)
  target_include_directories(ATen::cpu INTERFACE "${ATen_INCLUDE_DIR}")
  target_link_libraries(ATen::cpu INTERFACE "${ATen_CPU_LIBRARY}" "${ATen_C10_LIBRARY}")
endif()
