// SPDX-License-Identifier: Apache-2.0
//
// An offer as text for the trace, and as an expression of the stand-alone program.
#pragma once

#include <string>

#include <dlcert/suite/spy.hpp>

namespace dlcert {

std::string offer_text(const Descriptor& descriptor, const Bytes& storage);
std::string offer_expression(const Descriptor& descriptor, const Bytes& storage);
// Of a program in Python; empty where it makes no such offer: on protected pages, in memory of a
// device, or with another context than the offer's own.
ProgramStep offer_python(const Descriptor& descriptor, const Bytes& storage);

}  // namespace dlcert
