// SPDX-License-Identifier: Apache-2.0
//
// Which programs the dynamic linker can be told anything.
#pragma once

#include <filesystem>

namespace dlcert {

// Throws std::runtime_error, one line, unless `program` is started by a dynamic linker that heeds
// LD_AUDIT and LD_PRELOAD: statically linked programs have none, and it heeds nothing for those
// that get rights of their own from their file. Of a script its interpreter counts.
void require_redirectable(const std::filesystem::path& program);

}  // namespace dlcert
