// SPDX-License-Identifier: Apache-2.0
//
// Exports that fail: which error they raise, and that they leave nothing behind.

#include <algorithm>
#include <array>

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/failing_allocations.hpp"
#include "testbench/heap.hpp"
#include "testbench/states.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(export_failure)

namespace {

using testbench::make_in_state;
using testbench::State;
using testbench::undescribable_states;

constexpr std::string_view enough_memory = "exported, whatever allocation failed";

Outcome<Exported> export_starved(Case& c, const Source& source) {
  const dlcert_request asked = draw_request(c.draw);
  const std::int64_t successes = c.draw.flip() ? 0 : c.draw.between(1, 3);
  const testbench::FailingAllocations starved{c.producer, successes};
  return export_tensor(c, source.tensor, asked);
}

// Of a legacy tensor only its memory tells whether it is a copy.
bool is_view(const Case& c, const Source& source, const Managed& managed) {
  if (managed.versioned()) return !says_copied(managed);
  if (!c.producer.offers(Needs{} | Can::describe)) return false;
  auto own = c.producer.describe(source.tensor);
  return own.ok() && own.value().data != nullptr && own.value().data == managed.first_element();
}

void expect_refused_or_copied(Case& c, const State& state) {
  const Source source = make_in_state(c, state);
  auto exported = export_tensor(c, source.tensor, draw_request(c.draw));
  c.observe(exported.ok() ? "exported" : "refused");
  if (!exported.ok()) {
    expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
    return touched_if_exports_plain(c);
  }
  if (state.state == DLCERT_STATE_NOT_EXPORTED) return c.declined("exported after all");
  c.touched();
  // Of a copy nothing can be asked, and values are a rule of their own: protocol.export.values.
  expect(state.has_values || !is_view(c, source, exported.value().managed()),
         "export of data that is {}: expected a refusal or a copy but found a view", state.name);
}

// What tables and text have; a library may fail by them otherwise than by its tensors.
constexpr std::array no_tensors{DLCERT_STATE_STRING, DLCERT_STATE_MISSING, DLCERT_STATE_RAGGED};

DLCERT_CHECK(undescribable_data_raises_buffer_error,
             if_touched(producer_check(
                 "protocol.export.buffer-error",
                 "data that DLPack cannot describe raises BufferError or is copied", exporting))) {
  const State& state = c.draw.one_of(undescribable_states());
  if (std::ranges::count(no_tensors, state.state) != 0) throw Discard{};
  expect_refused_or_copied(c, state);
}

DLCERT_CHECK(data_that_is_no_tensor_raises_buffer_error,
             if_touched(producer_check(
                 "protocol.export.buffer-error",
                 "text, lists and data of which some is missing raise BufferError or are copied",
                 exporting))) {
  expect_refused_or_copied(c, testbench::state_of(c.draw.one_of(no_tensors)));
}

// The restriction could not be signalled, so the tensor cannot be exported as what it is.
DLCERT_CHECK(refused_legacy_form_raises_buffer_error,
             if_touched(producer_check(
                 "protocol.export.buffer-error",
                 "data that the legacy form cannot describe raises BufferError in that form",
                 exporting))) {
  const bool padded = c.draw.flip();
  TensorSpec spec = padded ? compact_spec({kDLInt, 4, 1}, {c.draw.between(2, 9)})
                           : draw_simple_spec(c.draw, c.producer);
  spec.flags |= padded ? DLCERT_SPEC_SUBBYTE_PADDED : DLCERT_SPEC_READ_ONLY;
  require_claimed(c.producer, spec);
  const Source source = testbench::make_source(c, std::move(spec));
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  const auto exported = testbench::export_by(wrapping, c.producer, source.tensor, request());
  if (exported.ok()) return c.declined("exported");
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
  testbench::touched_if_exports_plain(c, wrapping, Form::legacy);
}

DLCERT_CHECK(lack_of_memory_raises_memory_error,
             if_touched(producer_check("protocol.export.other-errors",
                                       "lack of memory raises MemoryError",
                                       exporting | Can::fail_allocation))) {
  const Source source = simple_source(c);
  const auto exported = export_starved(c, source);
  if (exported.ok()) return c.declined(enough_memory);
  if (!c.producer.declares(DLCERT_FAITHFUL_ERRORS))
    return c.declined("its errors have no kinds of their own");
  c.touched();
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_MEMORY, "error");
}

// Requests that many producers refuse.
dlcert_request draw_unusual_request(Draw& draw) {
  const dlcert_request any = draw_request(draw);
  const std::array requests{with_device(any, {99, 0}),
                            with_device(any, cuda),
                            with_copy(with_device(any, cuda), false),
                            with_copy(with_device(any, cuda), true),
                            with_copy(with_device(any, {8, 0}), true),
                            request_version(0, 0)};
  return draw.one_of(requests);
}

// Requests in which one argument got a value that was hardly meant for it.
dlcert_request draw_malformed_request(Draw& draw) {
  constexpr std::int64_t too_large = std::int64_t{1} << 32;
  const std::array values{integer(1),  boolean(true), number(1.5),        text("1.0"),
                          pair(-1, 0), pair(1, -1),   pair(too_large, 0), pair(1, too_large)};
  dlcert_request malformed = draw_request(draw);
  const std::array arguments{&malformed.max_version, &malformed.dl_device, &malformed.copy,
                             &malformed.stream};
  *draw.one_of(arguments) = draw.one_of(values);
  return malformed;
}

dlcert_request draw_doubtful_request(Draw& draw) {
  return draw.flip() ? draw_malformed_request(draw) : draw_unusual_request(draw);
}

// What comes of a doubtful request that the library can form, which may be few of them.
Outcome<Exported> export_doubtfully(Case& c, const Tensor& tensor) {
  constexpr int tries = 8;
  const testbench::Wrapping wrapping = testbench::draw_wrapping(c);
  for (int i = 0; i < tries; ++i) {
    auto exported =
        testbench::try_export(wrapping, c.producer, tensor, draw_doubtful_request(c.draw));
    if (exported) return std::move(*exported);
  }
  throw NotFormable{};
}

// A tensor, and what was alive before it was made and once it was.
struct Watched {
  std::int64_t before;
  Source source;
  std::int64_t held;
};

Watched draw_watched(Case& c) {
  const std::int64_t before = testbench::live_allocations(c.producer);
  Source source = draw_source(c);
  return {before, std::move(source), testbench::live_allocations(c.producer)};
}

void expect_untouched(Case& c, Watched watched) {
  testbench::expect_live_allocations("live allocations", watched.held, c.producer);
  // A library that refuses every export was not tested.
  export_or_skip(c, watched.source.tensor, draw_request(c.draw), "export of this layout");
  watched.source.tensor.release();
  testbench::expect_live_allocations("live allocations after the tensor died", watched.before,
                                     c.producer);
}

DLCERT_CHECK(refused_request_changes_no_values,
             producer_check("protocol.export.values",
                            "an export after a refused request shows the values of its source",
                            exporting)) {
  const Source source = draw_source(c);
  if (export_doubtfully(c, source.tensor).ok()) throw Declined{"the request is served"};
  const Exported later =
      export_or_skip(c, source.tensor, draw_request(c.draw), "export of this layout");
  expect_describes(later.managed(), source.spec, source.logical);
}

DLCERT_CHECK(refused_request_leaves_nothing,
             producer_check("protocol.export.failure-clean",
                            "a refused request leaves nothing behind",
                            exporting | Can::live_allocations)) {
  Watched watched = draw_watched(c);
  if (export_doubtfully(c, watched.source.tensor).ok()) throw Declined{"the request is served"};
  expect_untouched(c, std::move(watched));
}

// The deleter of the import shows whether the producer still holds it.
DLCERT_CHECK(
    refused_request_keeps_no_import,
    if_touched(producer_check("protocol.export.failure-clean",
                              "a refused export of an imported tensor holds nothing of its source",
                              exporting | Can::any_import | Can::describe | Can::reads_back))) {
  const DrawnOffer drawn = draw_offer(c.draw, c.producer.consuming());
  Import import{c.producer, *drawn.offer, drawn.path.route};
  testbench::require_accepted(import, c.producer, drawn.path.form);
  if (export_doubtfully(c, import.tensor()).ok()) throw Declined{"the request is served"};
  import.finish();
  expect_deleted_once(*drawn.offer);
  touched_if_exports_plain(c);
}

DLCERT_CHECK(refused_data_leaves_nothing,
             if_touched(producer_check("protocol.export.failure-clean",
                                       "refused data leaves nothing behind",
                                       exporting | Can::live_allocations))) {
  const Source source = make_in_state(c, c.draw.one_of(undescribable_states()));
  const std::int64_t held = testbench::live_allocations(c.producer);
  if (export_tensor(c, source.tensor, draw_request(c.draw)).ok())
    throw Declined{"the data is exported"};
  testbench::expect_live_allocations("live allocations", held, c.producer);
  touched_if_exports_plain(c);
}

DLCERT_CHECK(lack_of_memory_leaves_nothing,
             if_touched(producer_check("protocol.export.failure-clean",
                                       "an export that ran out of memory leaves nothing behind",
                                       exporting | Can::live_allocations | Can::fail_allocation))) {
  Watched watched = draw_watched(c);
  if (export_starved(c, watched.source).ok())
    c.declined(enough_memory);
  else
    c.touched();
  expect_untouched(c, std::move(watched));
}

}  // namespace
}  // namespace dlcert::protocol
