// SPDX-License-Identifier: Apache-2.0
//
// Text for reports: the sentences and the code on which a requirement rests.
#pragma once

#include <string>
#include <vector>

#include "register/register.hpp"

namespace dlcert {

// One line for each sentence, place of code and cited document, in this order, then how the
// requirement follows from them: `"The producer must ..." (must) https://...`. Empty: the row has
// none.
std::vector<std::string> basis_lines(const Basis& basis);

}  // namespace dlcert
