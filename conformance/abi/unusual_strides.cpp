// SPDX-License-Identifier: Apache-2.0
//
// Strides below, at and beside what most tensors have: negative, zero, of unit axes, and not whole.

#include <array>
#include <utility>

#include "abi/support.hpp"
#include "generators/placement.hpp"
#include "registration.hpp"
#include "testbench/placed.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(unusual_strides)

namespace {

// x[::-step] of a vector whose length need not be a multiple of the step.
TensorSpec draw_reversed(Case& c) {
  const std::int64_t count = c.draw.between(2, 7);
  const std::int64_t step = c.draw.between(1, 3);
  TensorSpec spec = compact_spec(draw_claimed(c, {.dtypes = Dtypes::whole_byte}).dtype, {count});
  spec.device = place();
  spec.strides = {-step};
  spec.offset = (count - 1) * step + c.draw.between(0, step - 1);
  spec.storage_size = spec.offset + 1;
  return spec;
}

// One element, repeated.
TensorSpec draw_repeated(Case& c) {
  const std::int64_t extent = c.draw.between(2, 1000);
  TensorSpec spec = compact_spec(draw_claimed(c, {.dtypes = Dtypes::whole_byte}).dtype, {extent});
  spec.strides = {0};
  spec.storage_size = 1;
  return spec;
}

// A stride that only leads to its elements because addresses wrap around is no element count.
void expect_true_counts(const Managed& managed) {
  const TensorSpec exported = described_spec(managed);
  const auto item = static_cast<std::int64_t>(logical_item_size(exported.dtype));
  for (std::size_t axis = 0; axis < exported.shape.size(); ++axis) {
    const std::int64_t steps = exported.shape[axis] - 1;
    if (steps < 1 || item == 0) continue;
    const std::int64_t most = INT64_MAX / item / steps;
    const std::int64_t found = exported.strides[axis];
    in_fields(
        managed,
        [&] {
          expect(-most <= found && found <= most,
                 "stride of axis {}: expected a count of elements but found {}", axis, found);
        },
        "-{0} <= stride_of(&exported.dl_tensor, {1}) && stride_of(&exported.dl_tensor, {1}) <= {0}",
        most, axis);
  }
}

// Refused (where the policy lets it), or the elements of the tensor whether shared or copied.
void expect_refused_or_true(Case& c, const TensorSpec& spec, std::string_view policy) {
  const Bytes logical = draw_logical(c.draw, spec);
  const Tensor tensor = create(c, spec, logical);
  const auto out = export_or_refusal(c, tensor, draw_form(c.draw), Refusal::declines);
  if (out) {
    expect_true_counts(out->managed());
    expect_gathered(out->managed(), logical);
  } else {
    expect(c.settings.policy(policy) != "require",
           "policy {}=require: expected an export but found a refusal", policy);
  }
}

void expect_refused_or_right(Case& c, const TensorSpec& spec, std::string_view policy,
                             Refusal refusal) {
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route,
                         testbench::place_offer(spec, logical, path.form, c.draw.flip())};
  if (c.settings.policy(policy) == "require") imported.expect_accepted();
  if (imported.accepted() || refusal == Refusal::declines)
    return expect_right_if_accepted(c, imported, spec, logical);
  c.observe("refused");
  touched_by_outcome(c, imported);
  imported.expect_one_deletion();
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    reversed_exports_are_true,
    if_touched(producer_check("abi.strides.negative",
                              "a reversed tensor is refused or exported with its true elements",
                              exporting))) {
  expect_refused_or_true(c, draw_reversed(c), "negative-strides");
}
DLCERT_CHECK_ALSO_ON_DEVICES(
    reversed_imports_are_right,
    if_touched(consumer_check("abi.strides.negative",
                              "negative strides are refused or read as they say", importing))) {
  expect_refused_or_right(c, draw_reversed(c), "negative-strides", Refusal::meets_the_rule);
}
DLCERT_CHECK(repeated_exports_are_true,
             if_touched(producer_check(
                 "abi.strides.zero-broadcast",
                 "a repeated element is refused or exported with its true elements", exporting))) {
  expect_refused_or_true(c, draw_repeated(c), "zero-strides");
}
DLCERT_CHECK(
    repeated_imports_are_right,
    if_touched(consumer_check("abi.strides.zero-broadcast",
                              "a zero stride is refused or needs no memory beyond the one element",
                              importing))) {
  expect_refused_or_right(c, draw_repeated(c), "zero-strides", Refusal::declines);
}

// ---- axes with an extent of 0 or 1 --------------------------------------------------------------

// A compact tensor with an axis of extent 1.
TensorSpec draw_with_unit_axis(Case& c) {
  const TensorSpec drawn =
      draw_claimed(c, {.layouts = Layouts::compact, .shape = {.min_rank = 1}, .padded = false});
  std::vector<std::int64_t> shape = drawn.shape;
  shape[c.draw.below(shape.size())] = 1;
  TensorSpec spec = compact_spec(drawn.dtype, std::move(shape));
  spec.flags = drawn.flags;
  require_claimed(c.consumer, spec);
  return spec;
}

DLCERT_CHECK(strides_of_unit_axes_do_not_matter,
             consumer_check("abi.strides.unit-extent-free",
                            "strides of axes with an extent of 0 or 1 make no difference",
                            importing)) {
  constexpr std::array<std::int64_t, 6> odd{12345, 0, -1, 77, INT64_MAX, INT64_MIN};
  const TensorSpec spec = draw_with_unit_axis(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, path.form);
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
    if (spec.shape[axis] <= 1) (*descriptor.strides)[axis] = c.draw.one_of(odd);
  ImportedOffer imported{c, path.route, descriptor, scatter(spec, logical)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

// ---- strides that are no multiple of the element ------------------------------------------------

// A field of four bytes in packed records of five to eight, maybe across the end of its record.
DLCERT_CHECK(byte_strides_are_not_rounded,
             if_touched(producer_check(
                 "abi.strides.indivisible-error",
                 "strides that are no multiple of the element are refused or copied, not rounded",
                 exporting))) {
  const std::int64_t count = c.draw.between(2, 5);
  const std::int64_t record = c.draw.between(5, 8);
  TensorSpec spec = compact_spec(float32, {count});
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  spec.strides = {record};
  spec.offset = c.draw.between(0, record - 1);
  spec.storage_size = spec.offset + count * record;
  const Bytes logical = draw_logical(c.draw, spec);
  const Tensor tensor = create(c, spec, logical);
  const Form form = draw_form(c.draw);
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  auto out = testbench::export_by(wrapping, c.producer, tensor, request_for(form));
  if (out.ok()) {
    if (record != 8) c.touched();
    c.observe(record == 8 ? "exported" : "exported as a copy");
    expect_gathered(out.value().managed(), logical);
  } else {
    c.observe(out.error().kind == DLCERT_ERROR_BUFFER ? "refused"
                                                      : "refused, not with BufferError");
    if (record != 8) testbench::touched_if_exports_plain(c, wrapping, form);
  }
}

// A window of four bytes that moves by one to seven, so that some of them overlap.
DLCERT_CHECK(byte_strides_are_copied_with_their_values,
             if_touched(producer_check("abi.strides.indivisible-error",
                                       "a copy of elements whose strides are no multiple of the "
                                       "element has their values",
                                       exporting))) {
  constexpr std::array<std::int64_t, 6> steps{1, 2, 3, 5, 6, 7};
  const std::int64_t count = c.draw.between(2, 5);
  TensorSpec spec = compact_spec(float32, {count});
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  spec.strides = {c.draw.one_of(steps)};
  spec.offset = c.draw.between(0, 3);
  spec.storage_size = spec.offset + (count - 1) * spec.strides[0] + 4;
  const Bytes logical = draw_logical(c.draw, spec);
  const Tensor tensor = create(c, spec, logical);
  dlcert_request request = request_for(draw_form(c.draw));
  request.copy = boolean(true);
  const Exported out = export_or_skip(c, tensor, request, "a copy of this");
  c.touched();
  expect_gathered(out.managed(), logical);
}

// A field of four bytes in packed records that lie in rows, between two axes of one element. Only
// the strides of the records and rows count.
DLCERT_CHECK(byte_strides_of_several_axes_are_not_rounded,
             if_touched(producer_check("abi.strides.indivisible-error",
                                       "strides of several axes, some of which are no multiple of "
                                       "the element, are refused or copied, not rounded",
                                       exporting))) {
  const std::int64_t rows = c.draw.between(2, 3);
  const std::int64_t count = c.draw.between(2, 4);
  const std::int64_t record = c.draw.between(4, 8);
  const std::int64_t row = record * count + c.draw.between(0, 4);
  TensorSpec spec = compact_spec(float32, {1, rows, count, 1});
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  spec.strides = {rows * row + c.draw.between(0, 3), row, record, c.draw.between(1, 4)};
  if (c.draw.flip()) {
    std::swap(spec.shape[1], spec.shape[2]);
    std::swap(spec.strides[1], spec.strides[2]);
  }
  spec.storage_size = rows * row;
  const bool whole = row % 4 == 0 && record % 4 == 0;
  const Bytes logical = draw_logical(c.draw, spec);
  const Tensor tensor = create(c, spec, logical);
  const Form form = draw_form(c.draw);
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  auto out = testbench::export_by(wrapping, c.producer, tensor, request_for(form));
  if (out.ok()) {
    c.touched();
    c.observe(whole ? "whole strides exported" : "exported as a copy");
    expect_gathered(out.value().managed(), logical);
  } else {
    c.observe(whole ? "whole strides refused" : "refused");
    testbench::touched_if_exports_plain(c, wrapping, form);
  }
}

}  // namespace
}  // namespace dlcert::abi
