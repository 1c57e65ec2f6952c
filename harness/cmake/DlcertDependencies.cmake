# SPDX-License-Identifier: Apache-2.0
#
# Everything that the build takes from outside, found once. Imported targets are SYSTEM by nature, so
# that their headers stay out of our warnings.

if(SKBUILD) # a wheel holds no shared library of others
  set(OPENSSL_USE_STATIC_LIBS ON)
  add_compile_definitions(FMT_HEADER_ONLY TOML_HEADER_ONLY=1)
  add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" "-ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/")
  add_link_options(LINKER:--as-needed)
endif()

find_package(Threads REQUIRED)
find_package(DLPack 1.3 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
if(SKBUILD)
  set_target_properties(tomlplusplus::tomlplusplus PROPERTIES INTERFACE_COMPILE_OPTIONS "")
endif()
find_package(pugixml 1.13 REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
find_package(rapidcheck REQUIRED) # Debian's package states no version

if(DLCERT_BUILD_TESTS)
  find_package(GTest 1.12.1 REQUIRED)
  # The headers are for the reference's Python face alone.
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
elseif(DLCERT_BUILD_BENCHMARKS)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
endif()

if(DLCERT_BUILD_BENCHMARKS)
  find_package(benchmark 1.7 REQUIRED)
endif()

if(DLCERT_WITH_ATEN STREQUAL "AUTO")
  find_package(ATen QUIET MODULE)
elseif(DLCERT_WITH_ATEN)
  find_package(ATen REQUIRED MODULE)
endif()
