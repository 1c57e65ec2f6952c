// SPDX-License-Identifier: Apache-2.0
#include "testbench/heap.hpp"

#include <malloc.h>

#include <memory>

#include <dlcert/suite/threads.hpp>
#include <dlcert/suite/trace.hpp>

// Defined by the sanitizers' runtimes, which replace malloc.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is theirs
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace dlcert::testbench {

namespace {

std::int64_t counted_bytes() {
  if (__sanitizer_get_current_allocated_bytes != nullptr)
    return static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes());
  const struct mallinfo2 info = ::mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

bool sees_a_block() {
  const std::int64_t before = counted_bytes();
  const auto block = std::make_unique_for_overwrite<std::byte[]>(4096);
  volatile std::byte* const used = block.get();  // or the compiler drops the block
  used[0] = std::byte{1};
  return counted_bytes() - before >= 4096;
}

// Whether the count sees a block that is taken. A thread of the library's may free others then.
bool observable() {
  for (int tries = 0; tries < 16; ++tries)
    if (sees_a_block()) return true;
  return false;
}

}  // namespace

void expect_no_growth(std::string_view what, std::int64_t times, const std::function<void()>& once,
                      std::int64_t kept) {
  once();
  if (TraceSink* const sink = trace()) {
    const std::string text = fmt::format("the same {} times more", 2 * times);
    tell_step(*sink, text, fmt::format("/* {} */", text),
              {.kind = ProgramStep::Kind::missing, .code = text});
  }
  const TracePause pause;
  const auto repeat = [&] {
    for (std::int64_t i = 0; i < times; ++i)
      once();
  };
  repeat();
  const auto before = heap_bytes();
  repeat();
  std::int64_t growth = 0;
  await([&] {
    const auto after = heap_bytes();
    if (!before || !after) throw Inconclusive{"the heap of this process cannot be observed"};
    growth = *after - *before;
    return growth < times * kept;
  });
  expect(growth < times * kept, "heap after {} {}: expected no growth but found {} bytes more",
         times, what, growth);
}

bool tensors_leave_nothing(const Case& c, const TensorSpec& spec, const Bytes& logical,
                           const std::function<void(Tensor&)>& use, std::int64_t kept) {
  try {
    const auto make_and_use = [&] {
      Tensor tensor = require(c.producer.create(spec, logical), "creation of a claimed tensor");
      use(tensor);
    };
    expect_no_growth("tensors", 2'000, make_and_use, kept);
  } catch (const Failure&) {
    return false;
  }
  return true;
}

void touched_if_tensors_go(Case& c, const TensorSpec& spec, const Bytes& logical,
                           std::int64_t kept) {
  if (!heap_bytes()) throw Inconclusive{"the heap of this process cannot be observed"};
  if (!tensors_leave_nothing(
          c, spec, logical, [](Tensor&) {}, kept))
    throw Declined{"its tensors stay in the heap without that too"};
  c.touched();
}

std::int64_t live_allocations(const Party& party) {
  return party.offers(Needs{} | Can::live_allocations) ? party.live_allocations() : 0;
}

void expect_live_allocations(std::string_view what, std::int64_t expected, const Party& party) {
  const auto counts_no_more = [&] { return live_allocations(party) <= expected; };
  {
    const TracePause pause;
    await(counts_no_more);
  }
  const std::int64_t found = live_allocations(party);
  if (found < expected && !single_threaded()) return;
  expect_equal(what, expected, found);
}

void expect_none_left(std::string_view what, std::int64_t expected, const Party& party) {
  owned_by("lifetime.deleter.frees-self", [&] { expect_live_allocations(what, expected, party); });
}

void touched_if_counted(Case& c, std::int64_t before) {
  if (live_allocations(c.subject()) > before)
    c.touched();
  else
    c.declined("does not count what it allocates for this");
}

std::optional<std::int64_t> heap_bytes() {
  if (!observable()) return std::nullopt;
  return counted_bytes();
}

}  // namespace dlcert::testbench
