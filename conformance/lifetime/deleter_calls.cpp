// SPDX-License-Identifier: Apache-2.0
//
// How a consumer ends a borrow: by one call of the deleter, with the tensor's own address, and by
// nothing else.
#include <cstring>

#include <dlcert/suite/threads.hpp>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/two_imports.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(deleter_calls)

namespace {

using testbench::shares_memory;
using testbench::TwoImports;

// A result that owns a copy may have released earlier: only shared memory is still in use.
void expect_in_use(const Case& c, const Tensor& handle, const DrawnOffer& drawn) {
  if (shares_memory(c.consumer, handle, drawn))
    expect_equal("deleter calls while the tensor is in use", 0, drawn.offer->deleter_calls());
}

DLCERT_CHECK(
    deleter_is_called_once,
    consumer_check("lifetime.deleter.exactly-once",
                   "the deleter is called once, when the last handle on shared memory is gone",
                   importing)) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  std::vector<Tensor> handles = draw_handles(c, import);
  while (!handles.empty()) {
    const Tensor released_here = draw_one(c, handles);
    for (const Tensor& handle : handles)
      expect_in_use(c, handle, drawn);
    expect_in_use(c, released_here, drawn);
  }
  import.finish();
  expect_deleted_once(*drawn.offer);
}

// DLPack's Python page has null data for no elements since 0.7, the header since 1.0. No sentence
// makes a consumer take it: abi.data.zero-size-null.
DLCERT_CHECK(deleter_is_called_once_for_no_elements,
             if_touched(consumer_check(
                 "lifetime.deleter.exactly-once",
                 "the deleter of a tensor without elements and data is called once, if it is taken",
                 Needs{} | Can::any_import))) {
  const TensorSpec spec = draw_empty_spec(c.draw, c.consumer);
  if (!c.consumer.can(spec)) throw NotClaimed{"tensors without elements"};
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, path.form);
  descriptor.data = Descriptor::Data::null;
  Offer offer{descriptor, Bytes{}};
  Import import{c.consumer, offer, path.route};
  if (!import.accepted()) throw Declined{"null data is refused"};
  c.touched();
  import.finish();
  expect_deleted_once(offer);
}

DLCERT_CHECK(bare_tensor_is_released,
             if_touched(consumer_check("lifetime.deleter.bare-called",
                                       "the deleter of a bare managed tensor is called in the end",
                                       Needs{} | Can::import_managed))) {
  const TensorSpec spec = draw_spec(c.draw, c.consumer, {.padded = false});
  const Form form = draw_form(c.draw, c.consumer, Route::managed);
  Descriptor descriptor = describe_spec(spec, form);
  if (spec.element_count() == 0) descriptor.data = Descriptor::Data::null;
  if (c.draw.rarely(4)) draw_refusal(c.draw, descriptor);
  Offer offer{descriptor, scatter(spec, draw_logical(c.draw, spec))};
  Import import{c.consumer, offer, Route::managed};
  if (import.accepted())
    c.touched();
  else
    testbench::touched_if_takes_plain(c, Route::managed, form);
  import.finish();
  await([&] { return offer.deleter_calls() != 0; });
  // A second call is lifetime.deleter.exactly-once.
  expect(offer.deleter_calls() != 0, "deleter calls: expected 1 but found 0");
}

DLCERT_CHECK(one_import_goes_and_another_stays,
             consumer_check("lifetime.deleter.exactly-once",
                            "one of two imports of a memory is released, and the other stays valid",
                            importing)) {
  TwoImports twice{c};
  const std::size_t stays = c.draw.below(2);
  const bool shared = twice.shares(stays);
  twice.finish(1 - stays);
  twice.expect_right(stays);
  if (shared)
    expect(twice.offer(0).deleter_calls() + twice.offer(1).deleter_calls() < 2,
           "deleter calls while one of two imports is in use: expected 1 or less but found 2");
  twice.finish(stays);
  expect_deleted_once(twice.offer(0));
  expect_deleted_once(twice.offer(1));
}

DLCERT_CHECK(deleter_gets_the_tensors_own_address,
             consumer_check("lifetime.deleter.self-argument",
                            "the deleter gets the address of the managed tensor that contained it",
                            importing)) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  import.finish();
  expect_equal("deleter calls with another address", 0, drawn.offer->stray_deleter_calls());
  expect_deleted_once(*drawn.offer);
}

// The offer's memory comes from no heap: whoever frees it ends the process.
DLCERT_CHECK(nothing_is_freed_but_by_the_deleter,
             consumer_check("lifetime.deleter.consumer-no-free",
                            "struct, arrays and data are released by the deleter alone",
                            importing)) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  for (Tensor& handle : draw_handles(c, import))
    handle.release();
  import.finish();
  expect_deleted_once(*drawn.offer);
}

DLCERT_CHECK(memory_comes_back_as_it_was,
             consumer_check("lifetime.borrow-not-transfer",
                            "lent memory comes back unchanged through the deleter", importing)) {
  const DrawnOffer drawn = draw_offer(c, {.shape = {.empty = false}, .read_only = true});
  const Bytes lent = scatter(drawn.spec, drawn.logical);
  bool intact = true;
  drawn.offer->on_deleter([&] {
    intact = lent.empty() || std::memcmp(drawn.offer->storage(), lent.data(), lent.size()) == 0;
  });
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  import.finish();
  expect(intact,
         "the lent memory: expected it unchanged when the deleter runs but found it written");
  expect_deleted_once(*drawn.offer);
}

}  // namespace
}  // namespace dlcert::lifetime
