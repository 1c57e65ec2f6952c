// SPDX-License-Identifier: Apache-2.0
//
// What is left of an export when it is gone: nothing but the source.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/failing_allocations.hpp"
#include "testbench/heap.hpp"
#include "testbench/reported_device.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(leaks)

namespace {

using testbench::draw_hardly_exportable;
using testbench::draw_wrapping;
using testbench::expect_no_growth;
using testbench::export_tensor;
using testbench::live_allocations;
using testbench::tensors_leave_nothing;
using testbench::touched_if_counted;
using testbench::touched_if_tensors_go;
using testbench::try_export;
using testbench::Wrapping;
using testbench::wrappings;

constexpr Needs counting = exporting | Can::live_allocations;

DLCERT_CHECK(released_export_leaves_nothing,
             if_touched(producer_check("lifetime.deleter.frees-self",
                                       "releasing an export releases all that was made for it",
                                       counting))) {
  const std::int64_t before_all = live_allocations(c.producer);
  {
    const Source source = draw_source(c, {.read_only = true});
    const std::int64_t before = live_allocations(c.producer);
    for (std::int64_t i = c.draw.between(1, 3); i > 0; --i) {
      Exported exported = export_either(c, source.tensor);
      touched_if_counted(c, before);
      exported.release();
    }
    testbench::expect_live_allocations("live allocations after releasing the exports", before,
                                       c.producer);
  }
  testbench::expect_live_allocations("live allocations after releasing the source", before_all,
                                     c.producer);
}

// The last release of a tensor may be that of its export.
DLCERT_CHECK(export_released_last_frees_its_source,
             if_touched(producer_check(
                 "lifetime.deleter.frees-self",
                 "releasing the last export of a dropped tensor releases the tensor", counting))) {
  const std::int64_t before = live_allocations(c.producer);
  Source source = draw_source(c, {.read_only = true});
  Exported exported = export_either(c, source.tensor);
  source.tensor.release();
  touched_if_counted(c, before);
  exported.release();
  testbench::expect_live_allocations("live allocations", before, c.producer);
}

DLCERT_CHECK(heap_does_not_grow,
             producer_check("lifetime.deleter.frees-self",
                            "ten thousand exports and releases do not grow the heap", exporting,
                            1)) {
  const Source source = make_source(c, draw_simple_spec(c.draw, c.producer));
  bool exported_any = false;
  const auto export_every_way = [&] {
    for (const Wrapping wrapping : wrappings(c.producer))
      for (const dlcert_request& request :
           {request_version(own_version.major, own_version.minor), dlcert::request()}) {
        auto exported = try_export(wrapping, c.producer, source.tensor, request);
        if (exported && exported->ok()) exported_any = true;
      }
  };
  expect_no_growth("exports and releases", 10'000, export_every_way);
  expect_acceptance(exported_any,
                    "export of a claimed tensor: expected success but found refusals only");
}

DLCERT_CHECK(heap_does_not_grow_by_exported_tensors,
             if_touched(producer_check("lifetime.deleter.frees-self",
                                       "thousands of tensors whose exports are released last do "
                                       "not grow the heap",
                                       exporting, 1))) {
  const Source like = make_source(c, draw_simple_spec(c.draw, c.producer));
  const Wrapping wrapping = draw_wrapping(c);
  touched_if_tensors_go(c, like.spec, like.logical);
  for (const dlcert_request& request :
       {request_version(own_version.major, own_version.minor), dlcert::request()}) {
    const auto export_last = [&](Tensor& tensor) {
      const auto last = try_export(wrapping, c.producer, tensor, request);
      tensor.release();
    };
    expect(tensors_leave_nothing(c, like.spec, like.logical, export_last),
           "heap after 2000 tensors whose exports were released last: expected no growth, as "
           "without exports, but found it");
  }
}

// Of more bytes than an interpreter takes from its own store for small blocks, where there are
// such.
TensorSpec draw_large_spec(const Case& c) {
  const TensorSpec simple = draw_simple_spec(c.draw, c.producer);
  const TensorSpec large = compact_spec(simple.dtype, {1024});
  return c.producer.can(large) ? large : simple;
}

// What else a question leaves in the heap is no business of DLPack's: half of the elements tell.
DLCERT_CHECK(asking_for_the_device_keeps_no_tensor,
             if_touched(producer_check("lifetime.deleter.frees-self",
                                       "thousands of tensors that were asked for their device "
                                       "leave nothing of their elements in the heap",
                                       Can::create | Can::dlpack_device, 1))) {
  const Source like = make_source(c, draw_large_spec(c));
  if (!c.producer.dlpack_device(like.tensor).ok()) throw Declined{"does not tell the device"};
  const auto half = std::max<std::int64_t>(testbench::few_bytes, std::ssize(like.logical) / 2);
  touched_if_tensors_go(c, like.spec, like.logical, half);
  const auto ask = [&](Tensor& tensor) { static_cast<void>(c.producer.dlpack_device(tensor)); };
  expect(tensors_leave_nothing(c, like.spec, like.logical, ask, half),
         "heap after 2000 tensors of {} bytes that were asked for their device: expected their "
         "elements gone, as those of tensors that were not asked, but found them",
         like.logical.size());
}

DLCERT_CHECK(asking_leaves_nothing,
             producer_check("lifetime.deleter.frees-self",
                            "asking for dtype, shape and device makes no lasting export",
                            counting | Can::describe)) {
  const Source source = draw_source(c);
  const std::int64_t before = live_allocations(c.producer);
  for (int i = 0; i < 3; ++i) {
    require(c.producer.describe(source.tensor), "description of a tensor");
    if (c.producer.offers(Needs{} | Can::dlpack_device))
      testbench::reported_device(c.producer, source.tensor);
  }
  testbench::expect_live_allocations("live allocations after asking for dtype, shape and device",
                                     before, c.producer);
}

// ---- exports that fail --------------------------------------------------------------------------

dlcert_request plain_request() {
  return request_version(own_version.major, own_version.minor);
}

dlcert_request draw_refused_request(Draw& draw) {
  dlcert_request request = plain_request();
  switch (draw.below(5)) {
    case 0:
      request.dl_device = pair(2, 0);
      break;
    case 1:
      request.dl_device = pair(99, 0);
      break;
    case 2:
      request.max_version = text("1.3");
      break;
    case 3:
      request.copy = text("yes");
      break;
    default:
      request.stream = integer(-7);
      break;
  }
  return request;
}

// What a refused export kept shows once its source is gone.
void expect_nothing_kept(Case& c, Source& source, Outcome<Exported> exported, std::int64_t before) {
  if (exported.ok()) {
    c.declined("exported");
    exported.value().release();
  } else {
    c.observe("refused");
    touched_if_counted(c, before);
  }
  source.tensor.release();
  testbench::expect_live_allocations("live allocations without the source", before, c.producer);
}

DLCERT_CHECK(refused_export_keeps_nothing,
             if_touched(producer_check("lifetime.borrow-not-transfer",
                                       "an export that is refused keeps nothing of the source",
                                       counting))) {
  const std::int64_t before = live_allocations(c.producer);
  Source source = draw_hardly_exportable(c);
  const bool describable = source.spec.state == DLCERT_STATE_PLAIN;
  const dlcert_request request = describable ? draw_refused_request(c.draw) : plain_request();
  expect_nothing_kept(c, source, export_tensor(c, source.tensor, request), before);
}

DLCERT_CHECK(
    export_out_of_memory_keeps_nothing,
    if_touched(producer_check("lifetime.borrow-not-transfer",
                              "an export that runs out of memory keeps nothing of the source",
                              counting | Can::fail_allocation))) {
  const std::int64_t before = live_allocations(c.producer);
  Source source = draw_source(c, {.read_only = true});
  dlcert_request request = plain_request();
  if (c.draw.flip()) request.copy = boolean(true);
  std::optional<testbench::FailingAllocations> failing{std::in_place, c.producer,
                                                       c.draw.between(0, 2)};
  auto exported = export_tensor(c, source.tensor, request);
  failing.reset();
  expect_nothing_kept(c, source, std::move(exported), before);
}

}  // namespace
}  // namespace dlcert::lifetime
