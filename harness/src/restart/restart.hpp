// SPDX-License-Identifier: Apache-2.0
//
// Programs whose libraries find the drop-in libraries of a folder wherever they look for the
// vendors' (harness/shims/audit): the dynamic linker is told so when a program is started.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dlcert {

// The runtimes and driver libraries of GPUs in `folder`, absolute paths, of one name the newest
// first; none where there is no such folder.
std::vector<std::string> runtime_drop_ins(const std::filesystem::path& folder);

// The stand-ins for management libraries there.
std::vector<std::string> management_drop_ins(const std::filesystem::path& folder);

// The variables "NAME=value" with which a program is started so that `drop_ins` are found; what
// LD_AUDIT and GLIBC_TUNABLES hold already stays. None where the module that redirects is not in
// `folder`.
std::vector<std::string> redirection(const std::filesystem::path& folder,
                                     const std::vector<std::string>& drop_ins);

}  // namespace dlcert
