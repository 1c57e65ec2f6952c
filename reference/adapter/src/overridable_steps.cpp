// SPDX-License-Identifier: Apache-2.0
#include "dlcert/overridable_steps.hpp"

namespace dlcert::reference {

// Out of line, so that the tables of virtual functions are made here alone.
OverridableExport::~OverridableExport() = default;
OverridableImport::~OverridableImport() = default;
OverridableExchange::~OverridableExchange() = default;

}  // namespace dlcert::reference
