// SPDX-License-Identifier: Apache-2.0
#include "testbench/states.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace dlcert::testbench {

namespace {

constexpr std::array<dlcert_dtype, 6> swappable{
    {{0, 32, 1}, {0, 16, 1}, {0, 64, 1}, {1, 16, 1}, {2, 32, 1}, {2, 64, 1}}};
constexpr std::array<dlcert_dtype, 4> numbers{{{2, 32, 1}, {2, 64, 1}, {5, 64, 1}, {5, 128, 1}}};
constexpr std::array<dlcert_dtype, 2> reals{{{2, 32, 1}, {2, 64, 1}}};
constexpr std::array<dlcert_dtype, 2> complexes{{{5, 64, 1}, {5, 128, 1}}};
constexpr std::array<dlcert_dtype, 1> record{{{0, 32, 1}}};
constexpr std::array<dlcert_dtype, 1> extended{{{2, 80, 1}}};
constexpr std::array<dlcert_dtype, 1> bfloat_complex{{{5, 32, 1}}};
constexpr std::array<dlcert_dtype, 3> quantized{{{0, 8, 1}, {1, 8, 1}, {2, 32, 1}}};

constexpr std::array<dlcert_dtype, 1> any_dtype{{{2, 32, 1}}};
constexpr std::array<dlcert_dtype, 9> hardly_exported{{{0, 4, 1},
                                                       {1, 4, 1},
                                                       {0, 2, 1},
                                                       {1, 2, 1},
                                                       {6, 8, 1},
                                                       {4, 16, 1},
                                                       {5, 32, 1},
                                                       {5, 64, 1},
                                                       {kDLFloat8_e4m3fn, 8, 1}}};

constexpr std::array<State, DLCERT_STATE_COUNT - 1> states{{
    {DLCERT_STATE_BYTE_SWAPPED, "byte-swapped", true, swappable, 0},
    {DLCERT_STATE_RECORD, "a record", false, record, 32},
    {DLCERT_STATE_EXTENDED_FLOAT, "extended floating point", false, extended, 16},
    {DLCERT_STATE_BFLOAT_COMPLEX, "complex bfloat", false, bfloat_complex, 4},
    {DLCERT_STATE_QUANTIZED, "quantised", false, quantized, 0},
    {DLCERT_STATE_REQUIRES_GRADIENT, "tracked for a gradient", true, numbers, 0},
    {DLCERT_STATE_CONJUGATE, "lazily conjugated", true, complexes, 0},
    {DLCERT_STATE_NEGATED, "lazily negated", true, numbers, 0},
    {DLCERT_STATE_SPARSE, "sparse", true, reals, 0},
    {DLCERT_STATE_STRING, "text", false, any_dtype, 0},
    {DLCERT_STATE_MISSING, "missing in part", false, any_dtype, 0},
    {DLCERT_STATE_RAGGED, "of rows of different lengths", false, any_dtype, 0},
    {DLCERT_STATE_NOT_EXPORTED, "of a type that is not exported", false, hardly_exported, 0},
}};

TensorSpec in_state(TensorSpec spec, const State& state, dlcert_dtype dtype) {
  spec.dtype = dtype;
  spec.state = state.state;
  spec.flags = 0;
  return spec;
}

TensorSpec smallest(const State& state, dlcert_dtype dtype) {
  return in_state(compact_spec(dtype, {2, 2}), state, dtype);
}

std::vector<dlcert_dtype> claimed_dtypes(const Party& producer, const State& state) {
  std::vector<dlcert_dtype> claimed;
  for (const dlcert_dtype dtype : state.dtypes)
    if (producer.can(smallest(state, dtype))) claimed.push_back(dtype);
  return claimed;
}

TensorSpec draw_in_state(Case& c, const State& state) {
  const std::vector<dlcert_dtype> claimed = claimed_dtypes(c.producer, state);
  if (claimed.empty()) throw NotClaimed{state.name};
  const dlcert_dtype dtype = c.draw.one_of(claimed);
  if (!state.has_values) return smallest(state, dtype);
  const SpecBounds bounds{.dtypes = Dtypes::whole_byte,
                          .layouts = Layouts::no_overlap,
                          .shape = {.max_rank = 3, .empty = false, .max_elements = 64},
                          .padded = false};
  const TensorSpec drawn = in_state(draw_spec(c.draw, c.producer, bounds), state, dtype);
  return c.producer.can(drawn) ? drawn : smallest(state, dtype);
}

template <typename Number>
void put_numbers(Bytes& bytes, std::int64_t first) {
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    const std::int64_t magnitude = first + static_cast<std::int64_t>(at / sizeof(Number));
    const auto number = static_cast<Number>(magnitude % 3 == 0 ? -magnitude : magnitude);
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }
}

// No element reads the same in the other byte order.
void put_rising(Bytes& bytes, std::int64_t first) {
  constexpr std::int64_t values = 251;  // a prime: no two elements in a row are alike
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<std::byte>(1 + (first + static_cast<std::int64_t>(at)) % values);
}

Bytes draw_telling(Draw& draw, const TensorSpec& spec) {
  const std::size_t item = logical_item_size(spec.dtype);
  Bytes bytes(static_cast<std::size_t>(spec.element_count()) * item);
  const std::int64_t first = draw.between(1, 1000);
  const int part_bits = spec.dtype.code == kDLComplex ? spec.dtype.bits / 2 : spec.dtype.bits;
  if (spec.state == DLCERT_STATE_BYTE_SWAPPED)
    put_rising(bytes, first);
  else
    part_bits == 64 ? put_numbers<double>(bytes, first) : put_numbers<float>(bytes, first);
  if (spec.state == DLCERT_STATE_SPARSE)
    for (std::size_t at = item; at < bytes.size(); at += 2 * item)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), item, std::byte{0});
  return bytes;
}

// Its values do not matter.
Bytes any_bytes(const State& state, const TensorSpec& spec) {
  const std::size_t item = state.item_size != 0 ? state.item_size : logical_item_size(spec.dtype);
  Bytes bytes(static_cast<std::size_t>(spec.element_count()) * item);
  put_rising(bytes, 0);
  return bytes;
}

}  // namespace

std::span<const State> undescribable_states() {
  return states;
}

const State& state_of(std::int32_t state) {
  return *std::ranges::find(states, state, &State::state);
}

Source make_in_state(Case& c, const State& state) {
  TensorSpec spec = draw_in_state(c, state);
  Bytes logical = state.has_values ? draw_telling(c.draw, spec) : any_bytes(state, spec);
  Tensor tensor = require(c.producer.create(spec, logical), "creation of a claimed tensor");
  return {std::move(spec), std::move(logical), std::move(tensor)};
}

Source make_with_values(Case& c) {
  std::vector<const State*> claimed;
  for (const State& state : states)
    if (state.has_values && !claimed_dtypes(c.producer, state).empty()) claimed.push_back(&state);
  if (claimed.empty()) throw NotClaimed{"values that DLPack cannot describe"};
  return make_in_state(c, *c.draw.one_of(claimed));
}

void expect_values(const State& state, const Source& source, const Managed& exported) {
  const TensorSpec found = described_spec(exported);
  expect(found.dtype == source.spec.dtype && found.shape == source.spec.shape,
         "export of data that is {}: expected a refusal or {} of shape {} but found {} of shape {}",
         state.name, to_text(source.spec.dtype), to_text(source.spec.shape), to_text(found.dtype),
         to_text(found.shape));
  in_elements(exported, source.logical, [&] {
    expect(gather_exported(exported) == source.logical,
           "export of data that is {}: expected a refusal or its values but found others",
           state.name);
  });
}

}  // namespace dlcert::testbench
