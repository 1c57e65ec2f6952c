// SPDX-License-Identifier: Apache-2.0
//
// Pieces of work in processes of their own, as many at once as the machine has cores: a run of a
// module sets an environment variable, and adopts processes, of its whole process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace dlcert {

// Calls `work` for 0 to `pieces` - 1, each in a copy of this process, and `done` here with what it
// returned, as soon as it has. This process has one thread. Throws std::runtime_error when a piece
// throws, or ends its process; then the others are ended.
void side_by_side(std::size_t pieces, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, const std::string&)>& done);

}  // namespace dlcert
