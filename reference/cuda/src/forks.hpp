// SPDX-License-Identifier: Apache-2.0
//
// Which of a family of forked processes this is, and a lock that every one of them finds free.

#pragma once

#include <cstdint>
#include <mutex>

namespace dlcert::cuda {

/// Counts forks from here on. Idempotent, from any thread. Throws std::bad_alloc.
void watch_forks();

/// 1 in the process that first watched, one more in each child than in its parent.
[[nodiscard]] std::uint64_t fork_generation() noexcept;

/// Guards what lazy initialization keeps, in a state that is whole in a child, too. Hold it for a
/// moment, and never while calling the driver or a caller's function.
[[nodiscard]] std::mutex& state_mutex() noexcept;

}  // namespace dlcert::cuda
