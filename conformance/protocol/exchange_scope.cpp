// SPDX-License-Identifier: Apache-2.0
//
// What the exchange covers: the carrier, and the element types of the array API standard.

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(exchange_scope)

namespace {

using testbench::export_either;
using testbench::make_source;
using testbench::managed_inside;

DLCERT_CHECK_ALSO_ON_DEVICES(
    dlpack_returns_a_live_capsule,
    producer_check("protocol.dlpack.returns-capsule",
                   "an export is a capsule with a live name around a managed tensor",
                   Can::create | Can::capsules | Can::export_capsule)) {
  const Source source = draw_source(c);
  auto exported = c.producer.export_capsule(source.tensor, draw_request(c.draw));
  if (!exported.ok()) throw Declined{"the request is refused"};
  const Capsule capsule = std::move(exported).value();
  const auto inside = managed_inside(capsule);
  expect(inside && inside->pointer != nullptr,
         "capsule: expected a live name and a managed tensor but found the name \"{}\"",
         capsule.name().value_or("(none)"));
}

DLCERT_CHECK_ALSO_ON_DEVICES(dlpack_gives_a_capsule,
                             producer_check("protocol.dlpack.returns-capsule",
                                            "__dlpack__() returns a capsule",
                                            testbench::exporting_in_python)) {
  const Source source = simple_source(c);
  auto type = testbench::type_of_export(c.producer, source.tensor);
  if (!type.ok()) throw Declined{"__dlpack__() is refused"};
  expect(type.value() == "PyCapsule",
         "__dlpack__(): expected a PyCapsule but found an object of type {}", type.value());
}

TensorSpec standard_spec(Case& c) {
  const dlcert_dtype dtype = c.draw.one_of(testbench::standard_dtypes);
  return draw_spec_of(c.draw, c.subject(), dtype, {.max_rank = 3, .empty = false});
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    standard_dtype_is_exported,
    producer_check("protocol.dtypes.standard-set",
                   "every dtype of the array API standard that the producer has is exported",
                   exporting)) {
  const Source source = make_source(c, standard_spec(c));
  const Exported exported = export_either(c, source.tensor);
  expect_describes(exported.managed(), source.spec, source.logical);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    standard_dtype_is_imported,
    consumer_check("protocol.dtypes.standard-set",
                   "every dtype of the array API standard that the consumer has is imported",
                   importing)) {
  const TensorSpec spec = standard_spec(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const Route route = draw_route(c.draw, c.consumer);
  const auto offer = place_offer(spec, logical, draw_form(c.draw, c.consumer, route));
  Import import{c.consumer, *offer, route};
  require_accepted(import, c.consumer, offer->descriptor().form);
  expect_holds(c.consumer, import.tensor(), spec, logical);
  import.finish();
}

}  // namespace
}  // namespace dlcert::protocol
