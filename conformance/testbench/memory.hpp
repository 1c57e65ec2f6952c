// SPDX-License-Identifier: Apache-2.0
//
// The heap that the harness shares with the library under test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// Takes small blocks of the sizes that descriptors and small tensors have, and overwrites them, so
// that what the library freed and still points to shows it. Gives them back on destruction.
class StirredHeap {
 public:
  StirredHeap();

 private:
  static constexpr std::size_t sizes = 80;
  static constexpr std::size_t per_size = 2;
  std::array<std::unique_ptr<std::byte[]>, sizes * per_size> blocks_;
};

// Does `once` twice `times` times and fails when the second half left more than a few bytes each
// time in the heap: growth counts, not what a cache keeps. Inconclusive where the heap cannot be
// observed. What is done is told once.
void expect_no_growth(std::string_view what, std::int64_t times, const std::function<void()>& once);

// The library's live allocations where it counts them; otherwise always 0, so that comparisons say
// nothing.
std::int64_t live_allocations(const Party& party);

// Bytes that this process has taken from its heap, as far as that can be observed: not under an
// unknown allocator.
std::optional<std::int64_t> heap_bytes();

}  // namespace dlcert
