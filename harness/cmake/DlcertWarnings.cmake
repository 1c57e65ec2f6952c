# SPDX-License-Identifier: Apache-2.0
#
# dlcert::warnings: the warnings under which every target of the project compiles. Linked PRIVATE.
# They become errors with DLCERT_WERROR, which the dev preset sets and nobody else has to live with.

add_library(dlcert_warnings INTERFACE)
add_library(dlcert::warnings ALIAS dlcert_warnings)

set(common
    -Wall
    -Wextra
    -Wpedantic
    -Wcast-align
    -Wcast-qual
    -Wconversion
    -Wdouble-promotion
    -Wformat=2
    -Wimplicit-fallthrough
    -Wmissing-declarations
    -Wnull-dereference
    -Wshadow
    -Wsign-conversion
    -Wundef
    -Wunused
    -Wvla)
set(cxx -Wextra-semi -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
        -Wzero-as-null-pointer-constant)
set(c -Wmissing-prototypes -Wstrict-prototypes)
set(gcc -Wduplicated-branches -Wduplicated-cond -Wlogical-op)

target_compile_options(
  dlcert_warnings
  INTERFACE ${common}
            "$<$<COMPILE_LANGUAGE:CXX>:${cxx}>"
            "$<$<COMPILE_LANGUAGE:C>:${c}>"
            "$<$<CXX_COMPILER_ID:GNU>:${gcc}>"
            # gcc 12 sees overlaps in std::string that are not there (gcc bug 105651).
            "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>"
            "$<$<BOOL:${DLCERT_WERROR}>:-Werror>")
