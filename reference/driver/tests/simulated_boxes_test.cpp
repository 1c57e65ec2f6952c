// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills of boxes move their bytes, and touch no other.
// Source: CUDA Runtime API, cudaMemcpy3D, cudaMemset3D, cudaMemcpyBatchAsync (order of the source).

#include <rapidcheck.h>

#include <array>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

constexpr std::size_t room = 4096;

struct Placed {
  Box box;
  Pitches pitches;
};

Placed any_box() {
  const auto count = [] { return *rc::gen::inRange<std::size_t>(1, 6); };
  const Box box{count(), count(), count()};
  const std::size_t row = box.row_bytes + *rc::gen::inRange<std::size_t>(0, 8);
  return {box, {row, row * (box.rows + *rc::gen::inRange<std::size_t>(0, 3))}};
}

Pitches any_pitches(const Box& box) {
  const std::size_t row = box.row_bytes + *rc::gen::inRange<std::size_t>(0, 8);
  return {row, row * (box.rows + *rc::gen::inRange<std::size_t>(0, 3))};
}

// Where each byte of the box lies, in the order of the box.
std::vector<std::size_t> offsets(const Box& box, Pitches pitches) {
  std::vector<std::size_t> found;
  for (std::size_t slice = 0; slice < box.slices; ++slice)
    for (std::size_t row = 0; row < box.rows; ++row)
      for (std::size_t byte = 0; byte < box.row_bytes; ++byte)
        found.push_back(slice * pitches.slice + row * pitches.row + byte);
  return found;
}

class SimulatedBoxes : public Simulated {};

TEST_F(SimulatedBoxes, ACopyOfABoxMovesItsBytesAndNoOther) {
  EXPECT_TRUE(rc::check([this] {
    restart({});
    const auto [box, from_pitches] = any_box();
    const Pitches to_pitches = any_pitches(box);
    std::byte* const from = buffer(MemoryKind::device, room);
    std::byte* const to = buffer(MemoryKind::device, room);
    for (std::size_t each = 0; each < room; ++each) {
      driver_.view(from)[each] = static_cast<std::byte>(each * 7);
      driver_.view(to)[each] = std::byte{0};
    }
    std::vector<std::byte> expected(room);
    const auto sources = offsets(box, from_pitches), targets = offsets(box, to_pitches);
    for (std::size_t each = 0; each < sources.size(); ++each)
      expected[targets[each]] = driver_.view(from)[sources[each]];
    const Stream on = stream();
    const auto order = *rc::gen::element(SourceOrder::stream, SourceOrder::during_call);
    ok(driver_.copy_box_async(to, to_pitches, from, from_pitches, box, CopyDirection::inferred,
                              order, on));
    ok(driver_.synchronize_stream(on));
    RC_ASSERT(std::equal(expected.begin(), expected.end(), driver_.view(to)));
  }));
}

TEST_F(SimulatedBoxes, TwoFillsRaceWhereTheirBoxesHaveAByteInCommon) {
  EXPECT_TRUE(rc::check([this] {
    restart({});
    const auto [box, pitches] = any_box();
    const auto [other_box, other_pitches] = any_box();
    const std::size_t shift = *rc::gen::inRange<std::size_t>(0, 64);
    std::byte* const memory = buffer(MemoryKind::device, room);
    ok(driver_.fill_box_async(memory, pitches, 1, box, stream()));
    ok(driver_.fill_box_async(memory + shift, other_pitches, 2, other_box, stream()));
    std::vector<bool> filled(room);
    for (const std::size_t each : offsets(box, pitches))
      filled[each] = true;
    bool common = false;
    for (const std::size_t each : offsets(other_box, other_pitches))
      common = common || filled[shift + each];
    RC_ASSERT((races() != 0) == common);
  }));
}

TEST_F(SimulatedBoxes, ABoxThatReachesBeyondItsMemoryIsRefused) {
  std::byte* const memory = buffer(MemoryKind::device, 64);
  const Stream on = stream();
  ok(driver_.fill_box_async(memory, {8, 32}, 1, {8, 4, 2}, on));
  EXPECT_EQ(driver_.fill_box_async(memory, {8, 32}, 1, {9, 4, 2}, on), Status::invalid_value);
  EXPECT_EQ(driver_.fill_box_async(memory, {8, SIZE_MAX}, 1, {8, 4, 2}, on), Status::invalid_value);
  EXPECT_EQ(driver_.fill_box_async(memory, {8, 32}, 1, {8, 4, 2}, Stream{77}),
            Status::invalid_handle);
  ok(driver_.fill_box_async(memory, {8, 32}, 1, {8, 0, 2}, on));
}

TEST_F(SimulatedBoxes, ASourceThatIsReadDuringTheCallMayChangeBehindIt) {
  std::byte* const pinned = buffer(MemoryKind::pinned);
  std::byte* const to = buffer();
  const Stream on = stream();
  const Box box{size};
  std::memset(pinned, 3, size);
  ok(driver_.copy_box_async(to, {}, pinned, {}, box, CopyDirection::inferred,
                            SourceOrder::during_call, on));
  driver_.host_access("host",
                      {AccessKind::write, {reinterpret_cast<std::uintptr_t>(pinned), size, {}}});
  std::memset(pinned, 9, size);
  ok(driver_.synchronize_stream(on));
  EXPECT_EQ(visible(to), 3);
  EXPECT_EQ(races(), 0u);
}

TEST_F(SimulatedBoxes, ASourceThatIsReadDuringTheCallIsNotReadInTheOrderOfTheStream) {
  std::byte* const from = buffer();
  std::byte* const to = buffer();
  const Stream on = stream();
  write(on, from);
  ok(driver_.copy_box_async(to, {}, from, {}, {size}, CopyDirection::inferred,
                            SourceOrder::during_call, on));
  EXPECT_EQ(races(), 1u);
}

}  // namespace
}  // namespace dlcert::driver
