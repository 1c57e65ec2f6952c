// SPDX-License-Identifier: Apache-2.0
//
// What programs in Python share: the parts of parts.py and parts_of_devices.py.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "standalone/python_program.hpp"

namespace dlcert {

// Code that calls CUDA's runtime, in HIP's names if the program is one for ROCm.
std::string in_names_of_vendor(std::string code, const PythonProgram& program);

// The definitions that `code` names, and those that these name, in the order of these files, each
// behind two empty lines. If the program ends its process, memory lies between pages that cannot be
// accessed.
std::string python_parts(std::string_view code, const PythonProgram& program);

// The modules of Python's library that `code` names.
std::set<std::string> python_modules(std::string_view code);

}  // namespace dlcert
