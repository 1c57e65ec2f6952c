// SPDX-License-Identifier: Apache-2.0
//
// The heap that the harness shares with the library under test: whether it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <dlcert/suite/party.hpp>

namespace dlcert::testbench {

// Calls `once` 2 * `times` times, and fails the case when the second half of these calls left more
// than a few bytes each in the heap: growth counts, not what a cache keeps. Inconclusive where the
// heap cannot be observed. A described case has the first call only.
void expect_no_growth(std::string_view what, std::int64_t times, const std::function<void()>& once);

// The library's live allocations where it counts them; otherwise always 0, so that comparisons say
// nothing.
std::int64_t live_allocations(const Party& party);

// Bytes that this process has taken from its heap, as far as that can be observed: not under an
// unknown allocator.
std::optional<std::int64_t> heap_bytes();

}  // namespace dlcert::testbench
