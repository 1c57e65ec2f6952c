// SPDX-License-Identifier: Apache-2.0
//
// What the harness does on devices, as lines of the trace and steps of a program.
#pragma once

#include <string>
#include <string_view>

#include "testbench/device_session.hpp"

namespace dlcert::testbench {

std::string name_of(const StreamHandle& stream);
std::string name_of(const Range& range);

// A call of one of the parts of harness/src/standalone/parts.py; `name` is the variable of what it
// makes.
ProgramStep by_part(std::string_view part, const std::string& arguments, std::string name = {});

// The variable that holds an address; empty: a program has none.
std::string variable_of(const void* address);

// Names what the harness has just made, where a case is described.
std::string name_anew(const void* made, std::string_view prefix);
std::string name_anew(const StreamHandle& stream);

// A program reads the elements of an export alike, on a stream.
void tell_read_on(const StreamHandle& stream, const Managed& managed, const Bytes& elements);

// The device becomes the current one.
void tell_device(int device);

}  // namespace dlcert::testbench
