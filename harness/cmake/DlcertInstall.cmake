# SPDX-License-Identifier: Apache-2.0
#
# What an installation holds: the two programs, the library of the worker and the driver that it links, what serves Python libraries, the
# headers that an adapter or a GoogleTest program includes, the register, the pages for those who write one or gate on
# the verdict, and the package for find_package(dlcert).
# The headers of checks (dlcert/suite) are not among them: checks are part of the worker.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dlcert")
set(register_dir "${CMAKE_INSTALL_DATADIR}/dlcert/requirements")
get_property(areas GLOBAL PROPERTY DLCERT_AREAS)

dlcert_install_target(dlcert EXPORT dlcert)
install(TARGETS dlcert_adapter_abi EXPORT dlcert)
dlcert_install_target(dlcert_driver LIBRARY)

set(worker_dir "${CMAKE_INSTALL_FULL_LIBEXECDIR}/dlcert")
file(RELATIVE_PATH worker_to_lib "${worker_dir}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(dlcert-worker PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(dlcert_worker_module PROPERTIES INSTALL_RPATH "$ORIGIN/${worker_to_lib}")
dlcert_install_target(dlcert-worker RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/dlcert")
dlcert_install_target(dlcert_worker_module LIBRARY DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/dlcert")
# What serves Python libraries: the adapter module beside the worker, and what is written in Python.
dlcert_install_target(dlcert_python_adapter LIBRARY DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/dlcert")
# The reference, with which programs of counterexamples must not fail.
set_target_properties(dlcert_reference_adapter PROPERTIES INSTALL_RPATH "$ORIGIN/${worker_to_lib}")
dlcert_install_target(dlcert_reference_adapter LIBRARY DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/dlcert")
if(TARGET dlcert_reference_python)
  set(reference_dir "${CMAKE_INSTALL_FULL_LIBEXECDIR}/dlcert/reference")
  file(RELATIVE_PATH reference_to_lib "${reference_dir}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(dlcert_reference_python PROPERTIES INSTALL_RPATH "$ORIGIN/${reference_to_lib}")
  install(TARGETS dlcert_reference_python LIBRARY DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/dlcert/reference" OPTIONAL)
endif()
if(NOT SKBUILD) # a wheel holds the package where Python finds it
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/harness/python/dlcert"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/dlcert/python"
    FILES_MATCHING
    PATTERN "*.py"
    PATTERN "py.typed")
endif()
install(DIRECTORY "${PROJECT_BINARY_DIR}/share/dlcert/init" DESTINATION "${CMAKE_INSTALL_DATADIR}/dlcert")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/harness/adapters/python/"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/dlcert/adapters"
  FILES_MATCHING
  PATTERN "*.py")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/harness/include/dlcert"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "adapter*.h*"
  PATTERN "dlpack_facts.h"
  PATTERN "gtest.hpp"
  PATTERN "suite" EXCLUDE)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/conformance/requirements/"
  DESTINATION "${register_dir}"
  FILES_MATCHING
  PATTERN "*.json")
install(FILES "${PROJECT_SOURCE_DIR}/conformance/features.json" DESTINATION "${CMAKE_INSTALL_DATADIR}/dlcert")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/harness/docs/"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING
  PATTERN "*.md")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/harness/adapters/minimal" "${PROJECT_SOURCE_DIR}/harness/adapters/c_example"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples"
  FILES_MATCHING
  PATTERN "*.[ch]"
  PATTERN "*.hpp")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/dlcertConfig.cmake.in" "${PROJECT_BINARY_DIR}/dlcertConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS register_dir)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dlcertConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/dlcertConfig.cmake" "${PROJECT_BINARY_DIR}/dlcertConfigVersion.cmake"
        "${CMAKE_CURRENT_LIST_DIR}/DlcertCertification.cmake"
  DESTINATION "${package_dir}")
install(
  EXPORT dlcert
  NAMESPACE dlcert::
  FILE dlcertTargets.cmake
  DESTINATION "${package_dir}")

get_property(installed GLOBAL PROPERTY DLCERT_INSTALLED)
list(TRANSFORM installed REPLACE "(.+)" "\"$<TARGET_FILE:\\1>\"" OUTPUT_VARIABLE files)
list(JOIN files "\n    " files)
file(
  GENERATE
  OUTPUT "${dlcert_require_built}"
  CONTENT
    "foreach(
  file IN
  ITEMS
    ${files})
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"not built: \${file}: run harness/bootstrap --build-only certify\")
  endif()
endforeach()
")
