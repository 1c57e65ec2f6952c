// SPDX-License-Identifier: Apache-2.0
//
// Two libraries with each other: what one made arrives in the other, is shared, survives, and is
// released once. Each check is a table: a row is a dtype in a layout.
#include <array>

#include <dlcert/suite/threads.hpp>

#include "registration.hpp"
#include "sharing/pair_support.hpp"
#include "testbench/hand_over.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(pairs)

namespace {

using testbench::CountedDeleter;
using testbench::hand_over_counted;
using testbench::make_source;

// ---- rows ---------------------------------------------------------------------------------------

struct NamedLayout {
  std::string_view name;
  std::vector<std::int64_t> shape;
  Layout layout;  // strides, offset and storage, in elements
  std::uint32_t flags = 0;
};

// Views begin at a multiple of eight elements, so that packed ones begin on a byte.
const std::vector<NamedLayout>& layouts() {
  static const std::vector<NamedLayout> all{
      {"row-major", {2, 3}, {{3, 1}, 0, 6}},
      {"scalar", {}, {{}, 0, 1}},
      {"column-major", {2, 3}, {{1, 2}, 0, 6}},
      {"stepped", {3}, {{2}, 0, 5}},
      {"reversed", {9}, {{-1}, 8, 9}},
      {"offset", {3}, {{1}, 8, 11}},
      {"broadcast", {2, 3}, {{0, 1}, 0, 3}},
      {"empty", {0, 3}, {{3, 1}, 0, 0}},
      {"vector", {3}, {{1}, 0, 3}},
      {"read-only", {2, 3}, {{3, 1}, 0, 6}, DLCERT_SPEC_READ_ONLY},
      {"read-only vector", {3}, {{1}, 0, 3}, DLCERT_SPEC_READ_ONLY},
  };
  return all;
}
constexpr std::size_t layout_count = 11;

TensorSpec spec_of(dlcert_dtype dtype, const NamedLayout& layout) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = layout.shape;
  spec.strides = layout.layout.strides;
  spec.offset = layout.layout.offset;
  spec.storage_size = layout.layout.storage_size;
  spec.flags = layout.flags;
  return spec;
}

void require_both_claim(Case& c, const TensorSpec& spec) {
  if (!c.producer.can(spec)) throw NotClaimed{"as producer a tensor of this dtype and layout"};
  if (!claims_to_take(c.consumer, spec))
    throw NotClaimed{"as consumer a tensor of this dtype and layout"};
}

// A row of all dtypes and layouts.
TensorSpec any_row(Case& c) {
  const dlcert_dtype dtype = scalar_dtypes()[c.row / layout_count];
  const NamedLayout& layout = layouts().at(c.row % layout_count);
  c.concerns(to_text(dtype), layout.name);
  TensorSpec spec = spec_of(dtype, layout);
  require_both_claim(c, spec);
  return spec;
}

// A row of all layouts, of the first dtype that both have in it.
TensorSpec row_of_layout(Case& c, std::uint32_t flags = 0) {
  const NamedLayout& layout = layouts().at(c.row);
  for (const dlcert_dtype dtype : scalar_dtypes()) {
    TensorSpec spec = spec_of(dtype, layout);
    spec.flags |= flags;
    if (!c.producer.can(spec) || !claims_to_take(c.consumer, spec)) continue;
    c.concerns(to_text(dtype), layout.name);
    return spec;
  }
  c.concerns("any dtype", layout.name);
  throw NotClaimed{"with the other library a tensor of this layout"};
}

// ---- checks -------------------------------------------------------------------------------------

DLCERT_CHECK(
    what_is_made_arrives,
    pair_check("protocol.from.new-array",
               "what one library made arrives in the other, in each dtype and layout of both",
               dtype_count* layout_count)) {
  const TensorSpec spec = any_row(c);
  const Source source = make_source(c, spec);
  const Tensor result = taken(c, spec, testbench::hand_over(c, source.tensor));
  expect_holds(c.consumer, result, source.spec, source.logical);
  c.touched();
}

DLCERT_CHECK(writes_are_seen_by_the_other,
             pair_check("sharing.mutation-visible",
                        "what one library writes to shared memory is seen by the other",
                        layout_count, taking)) {
  const TensorSpec spec = row_of_layout(c);
  if (spec.read_only() || spec.element_count() == 0)
    throw NotClaimed{"writable elements in this layout"};
  const Source source = make_source(c, spec);
  const Tensor result = taken(c, spec, testbench::hand_over(c, source.tensor));
  Bytes now = source.logical;
  const Bytes by_producer = different_logical(source.spec, now);
  if (c.producer.offers(Needs{} | Can::write) &&
      c.producer.write(source.tensor, by_producer).ok()) {
    const Bytes seen = read_all(c.consumer, result, source.spec);
    if (seen == now) throw Declined{"copied"};
    c.touched();
    expect_equal("the consumer's elements after a write by the producer", by_producer, seen);
    now = by_producer;
  }
  const Bytes by_consumer = different_logical(source.spec, now);
  if (c.consumer.offers(Needs{} | Can::write) && c.producer.offers(Needs{} | Can::reads_back) &&
      c.consumer.write(result, by_consumer).ok()) {
    const Bytes seen = read_all(c.producer, source.tensor, source.spec);
    if (!c.was_touched() && seen == now) throw Declined{"copied"};
    c.touched();
    expect_equal("the producer's elements after a write by the consumer", by_consumer, seen);
  }
  if (!c.was_touched()) throw Declined{"neither writes"};
}

DLCERT_CHECK(result_outlives_the_source,
             pair_check("sharing.survives-source-drop",
                        "what arrived in the other library stays as it was when its source is gone",
                        layout_count)) {
  const TensorSpec spec = row_of_layout(c);
  Source source = make_source(c, spec);
  const Tensor result = taken(c, spec, testbench::hand_over(c, source.tensor));
  source.tensor.release();
  // What was given back too early goes to others.
  for (int i = 0; i < 4; ++i)
    require(c.producer.create(spec, different_logical(spec, source.logical)),
            "creation of a claimed tensor");
  expect_holds(c.consumer, result, source.spec, source.logical);
  c.touched();
}

DLCERT_CHECK(managed_tensor_is_released_once,
             pair_check("lifetime.deleter.exactly-once",
                        "what one library exports to the other is released once", layout_count)) {
  const TensorSpec spec = row_of_layout(c);
  const Source source = make_source(c, spec);
  const auto account = std::make_shared<CountedDeleter>();
  auto outcome = hand_over_counted(c, source.tensor, account);
  const bool accepted = outcome.ok();
  if (!accepted && account->calls() == 0) taken(c, spec, std::move(outcome));
  if (accepted) {
    Tensor result = std::move(outcome).value();
    expect_holds(c.consumer, result, source.spec, source.logical);
    result.release();
  }
  await([&] { return account->calls() != 0; });
  expect_equal("deleter calls", 1, account->calls());
  c.touched();
}

DLCERT_CHECK(read_only_arrives_as_read_only,
             pair_check("sharing.read-only-propagated",
                        "read-only memory of one library is read-only in the other", layout_count,
                        taking | Can::knows_read_only)) {
  const TensorSpec spec = row_of_layout(c, DLCERT_SPEC_READ_ONLY);
  if (spec.element_count() == 0) throw NotClaimed{"elements in this layout"};
  const Source source = make_source(c, spec);
  const Tensor result = taken(c, spec, testbench::hand_over(c, source.tensor));
  const Description made = require(c.producer.describe(source.tensor), "description of a tensor");
  const Description said = require(c.consumer.describe(result), "description of a tensor");
  if (made.data == nullptr || made.data != said.data) throw Declined{"copied"};
  if (c.settings.policy("read-only-flag") == "record")
    return c.observe(said.read_only ? "read-only" : "writable");
  c.touched();
  expect_equal("read-only", true, said.read_only);
}

}  // namespace
}  // namespace dlcert::sharing
