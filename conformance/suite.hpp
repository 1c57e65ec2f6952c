// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert {

// The checks of every family, in the order of suite.cpp, and within a family in that of its file.
// Throws std::logic_error when a file has checks and is named by no family.
Suite all_checks();

}  // namespace dlcert
