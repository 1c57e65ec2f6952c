# SPDX-License-Identifier: Apache-2.0
#
# For programs that run the bridge without being an interpreter: DLCERT_PYTHON, that of the build's virtual environment
# where there is one, and DLCERT_LIBPYTHON, its shared library.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
set(DLCERT_PYTHON "${Python3_EXECUTABLE}")
if(EXISTS "${DLPack_VENV}/bin/python")
  set(DLCERT_PYTHON "${DLPack_VENV}/bin/python")
endif()
execute_process(
  COMMAND "${DLCERT_PYTHON}" -c
          "import sysconfig as s; print(s.get_python_version(), s.get_config_var('LIBDIR'), sep=';', end='')"
  OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
list(GET facts 0 version)
list(GET facts 1 folder)
find_file(DLCERT_LIBPYTHON "libpython${version}.so.1.0"
          PATHS "${folder}" "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}" NO_DEFAULT_PATH REQUIRED)
