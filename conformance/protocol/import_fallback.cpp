// SPDX-License-Identifier: Apache-2.0
//
// Producers of before 2023, whose __dlpack__ knows the argument `stream` alone: it raises TypeError
// for the newer ones, and the consumer asks again without them.

#include <algorithm>

#include "protocol/support.hpp"
#include "registration.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(import_fallback)

namespace {

using testbench::Owners;
using testbench::takes;

// A TypeError means this only where kinds of errors are those of Python.
void require_python_errors(const Case& c) {
  if (!c.consumer.declares(DLCERT_FAITHFUL_ERRORS)) throw NotClaimed{"errors of its own kinds"};
  if (!takes(c.consumer, Form::legacy)) throw NotClaimed{"legacy tensors"};
}

// An old producer on a device, and what it hands out once.
struct OldProducer {
  TensorSpec spec;
  Bytes logical;
  std::unique_ptr<Offer> offer;
  std::unique_ptr<SpyProducer> producer;

  // On another device than its tensor, whose address faults then.
  explicit OldProducer(Case& c, dlcert_device device = place())
      : spec{draw_simple_spec(c.draw, c.consumer)}, logical{draw_logical(c.draw, spec)} {
    Descriptor descriptor = describe_spec(spec, Form::legacy);
    descriptor.device = device;
    if (!(device == spec.device)) descriptor.data = Descriptor::Data::unmapped;
    offer = place_offer(spec, logical, descriptor);
    const bool as_capsule = c.consumer.offers(Needs{} | Can::capsules) && c.draw.flip();
    producer = std::make_unique<SpyProducer>(device, offer.get(), c.consumer, as_capsule);
    producer->knows_only_stream();
  }

  bool has_raised() const {
    const auto& calls = producer->calls();
    const auto exports = std::count_if(calls.begin(), calls.end(),
                                       [](const SpyProducer::Call& call) { return !call.device; });
    return exports > producer->exports();
  }
  void expect_released() const { expect_deletions(producer->exports(), *offer); }
};

// The stream of the first call that names one; NULL: none does.
const dlcert_value* stream_named_first(const OldProducer& old) {
  for (const SpyProducer::Call& call : old.producer->calls())
    if (!call.device && call.request.stream.tag == DLCERT_INT) return &call.request.stream;
  return nullptr;
}

// The order that the consumer asks for is not lost with the newer arguments.
DLCERT_CHECK_ALSO_ON_DEVICES(
    stream_is_named_again,
    if_touched(consumer_check("stream.consumer-passes",
                              "a producer that knows no newer argument is asked again with the "
                              "same stream",
                              importing_objects))) {
  require_python_errors(c);
  OldProducer old{c};
  const auto imported = c.consumer.import_from(old.producer->c(), import_request());
  const dlcert_value* const first = stream_named_first(old);
  if (!old.has_raised() || first == nullptr)
    return c.declined("names no stream beside a newer argument");
  c.touched();
  // A value that names no stream is another rule's.
  owned_by(first->first < -1 ? Owners{"stream.range"} : Owners{}, [&] {
    for (const SpyProducer::Call& call : old.producer->calls())
      expect(call.device || (call.request.stream.tag == DLCERT_INT &&
                             call.request.stream.first == first->first),
             "stream of the second call: expected {} as in the first but found {}", to_text(*first),
             to_text(call.request.stream));
  });
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    old_producer_is_asked_again,
    if_touched(consumer_check("protocol.fallback.typeerror",
                              "a producer that knows no newer argument is asked again without them",
                              importing_objects))) {
  require_python_errors(c);
  OldProducer old{c};
  auto imported = c.consumer.import_from(old.producer->c(), import_request());
  if (old.has_raised())
    c.touched();
  else
    c.declined("passes no newer argument");
  expect_acceptance(imported.ok(),
                    "import from a producer that knows stream alone: expected success but found {}",
                    imported.ok() ? "" : to_text(imported.error()));
  c.minor([&] { expect_equal("exports", 1, old.producer->exports()); });
  expect_holds(c.consumer, imported.value(), old.spec, old.logical);
  imported.value().release();
  old.expect_released();
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    lost_copy_is_made_up_for,
    if_touched(consumer_check(
        "protocol.fallback.respects-copy",
        "a copy that the producer was not asked for is made by the consumer, or refused",
        importing_objects))) {
  require_python_errors(c);
  OldProducer old{c};
  dlcert_import_request asked = import_request();
  asked.copy = boolean(true);
  auto imported = c.consumer.import_from(old.producer->c(), asked);
  if (!old.has_raised()) return c.declined("passes no newer argument");
  c.touched();
  if (!imported.ok()) return old.expect_released();
  if (old.offer->deleter_calls() == 0)
    set_elements(*old.offer, old.spec, different_logical(old.spec, old.logical));
  expect_equal("elements of the copy", old.logical,
               read_imported(c.consumer, imported.value(), old.spec));
  imported.value().release();
  old.expect_released();
}

DLCERT_CHECK(
    lost_device_is_made_up_for,
    if_touched(consumer_check("protocol.fallback.respects-copy",
                              "a device that the producer was not asked for is honoured or refused",
                              importing_objects))) {
  require_python_errors(c);
  const bool to_host = c.draw.flip();
  const dlcert_device wanted = to_host ? cpu : cuda;
  OldProducer old{c, to_host ? cuda : cpu};
  dlcert_import_request asked = import_request();
  asked.device = pair(wanted.type, wanted.id);
  auto imported = c.consumer.import_from(old.producer->c(), asked);
  if (old.has_raised())
    c.touched();
  else
    c.declined("passes no newer argument");
  if (!imported.ok()) return old.expect_released();
  const Description said =
      require(c.consumer.describe(imported.value()), "description of an imported tensor");
  c.minor([&] { expect_equal("device of the result", wanted, said.device); });
  expect(said.data != old.offer->first_element(),
         "data of the result: expected memory of {} but found the producer's", to_text(wanted));
}

}  // namespace
}  // namespace dlcert::protocol
