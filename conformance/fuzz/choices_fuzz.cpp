// SPDX-License-Identifier: Apache-2.0
#include "fuzz/choices_fuzz.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <dlcert/suite/spy.hpp>

#include "generators/specs.hpp"

namespace dlcert {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// A byte is a choice; the last ones are followed by a larger one.
Choices choices_of(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t first_of_large = 250;
  Choices choices;
  while (!bytes.empty()) {
    std::uint64_t choice = bytes.front();
    bytes = bytes.subspan(1);
    if (choice >= first_of_large)
      for (int i = 0; i < 8 && !bytes.empty(); ++i, bytes = bytes.subspan(1))
        choice = choice << 8 | bytes.front();
    choices.push_back(choice);
  }
  return choices;
}

void require_inside(const TensorSpec& spec) {
  if (spec.element_count() == 0) return;
  std::int64_t least = spec.offset, most = spec.offset;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const std::int64_t step = (spec.shape[axis] - 1) * spec.strides[axis];
    (step < 0 ? least : most) += step;
  }
  require(least >= 0 && most < spec.storage_size, "elements outside of the storage");
}

struct Drawn {
  TensorSpec spec;
  Bytes logical;
};

Drawn draw_all(Draw& draw) {
  static const Party spy{spy_library(), "spy"};
  SpecBounds bounds;
  if (draw.flip()) bounds.layouts = Layouts::no_overlap;
  bounds.read_only = draw.flip();
  bounds.shape.empty = draw.flip();
  TensorSpec spec = draw_spec(draw, spy, bounds);
  Bytes logical = draw_logical(draw, spec);
  return {std::move(spec), std::move(logical)};
}

}  // namespace

void replay_choices_that_bytes_say(std::span<const std::uint8_t> input) {
  if (input.empty()) return;
  constexpr int sizes = 101;
  const int size = input.front() % sizes;
  Draw draw = Draw::replay(choices_of(input.subspan(1)), size);
  const Drawn drawn = draw_all(draw);
  require_inside(drawn.spec);
  const Bytes storage = scatter(drawn.spec, drawn.logical);
  require(gather(drawn.spec, storage.data()) == drawn.logical, "values that are others");
  Draw again = Draw::replay(draw.choices(), size);
  const Drawn same = draw_all(again);
  require(to_text(same.spec) == to_text(drawn.spec) && same.logical == drawn.logical &&
              again.choices() == draw.choices(),
          "choices that draw something else");
}

}  // namespace dlcert
