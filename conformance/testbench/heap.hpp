// SPDX-License-Identifier: Apache-2.0
//
// The heap that the harness shares with the library under test: whether it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <dlcert/suite/check.hpp>

namespace dlcert::testbench {

// Less than any block: what a call may leave in the heap.
inline constexpr std::int64_t few_bytes = 4;

// Calls `once` 2 * `times` times, and fails the case when the second half of these calls left more
// than `kept` bytes each in the heap: growth counts, not what a cache keeps. Inconclusive where the
// heap cannot be observed. A described case has the first call only.
void expect_no_growth(std::string_view what, std::int64_t times, const std::function<void()>& once,
                      std::int64_t kept = few_bytes);

// Makes thousands of tensors like this one and calls `use` with each. Returns whether they leave no
// more than `kept` bytes each in the heap. `use` may release its tensor. A refused creation counts
// as left.
bool tensors_leave_nothing(const Case& c, const TensorSpec& spec, const Bytes& logical,
                           const std::function<void(Tensor&)>& use, std::int64_t kept = few_bytes);

// The rule is met if tensors that are only made and released leave nothing; otherwise the case is
// declined. For checks with Check::says_touched.
void touched_if_tensors_go(Case& c, const TensorSpec& spec, const Bytes& logical,
                           std::int64_t kept = few_bytes);

// The library's live allocations where it counts them; otherwise always 0, so that comparisons say
// nothing.
std::int64_t live_allocations(const Party& party);

// Fails unless the library counts that many. One with threads may release a little later than it is
// told, also what was released before the case began.
void expect_live_allocations(std::string_view what, std::int64_t expected, const Party& party);

// The same in a check of another requirement: what a deleter leaves is the business of
// lifetime.deleter.frees-self.
void expect_none_left(std::string_view what, std::int64_t expected, const Party& party);

// An equal count of allocations at the end tells something only where the count moves: the rule is
// met where it is above `before` now; otherwise the case is declined. For checks with
// Check::says_touched.
void touched_if_counted(Case& c, std::int64_t before);

// Bytes that this process has taken from its heap, as far as that can be observed: not under an
// unknown allocator.
std::optional<std::int64_t> heap_bytes();

}  // namespace dlcert::testbench
