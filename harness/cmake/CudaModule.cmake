# SPDX-License-Identifier: Apache-2.0

# dlcert_add_cuda_module(NAME <target> OUTPUT <file> SOURCE <file> OPTIONS <option>... DEPENDS <file>...)
#
# A shared library that nvcc makes of one source. Needs CUDAToolkit_NVCC_EXECUTABLE. By hand, and not as a
# language of CMake, so that a build without nvcc, or with one that cannot use this compiler, is still configured.
function(dlcert_add_cuda_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;OUTPUT;SOURCE" "OPTIONS;DEPENDS")
  add_custom_command(
    OUTPUT "${arg_OUTPUT}"
    COMMAND "${CUDAToolkit_NVCC_EXECUTABLE}" -shared -Xcompiler -fPIC ${arg_OPTIONS} "${arg_SOURCE}" -o "${arg_OUTPUT}"
    DEPENDS "${arg_SOURCE}" ${arg_DEPENDS}
    COMMENT "Compiling ${arg_NAME} with nvcc"
    VERBATIM)
  add_custom_target(${arg_NAME} ALL DEPENDS "${arg_OUTPUT}")
endfunction()
