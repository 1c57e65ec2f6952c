// SPDX-License-Identifier: Apache-2.0
//
// What a consumer does with a capsule that it does not take.

#include "capsule/support.hpp"
#include "registration.hpp"

namespace dlcert::capsule {

DLCERT_FAMILY(refusal)

namespace {

// Things that a consumer may have to refuse, each well-formed but for what its name says.
struct Unwelcome {
  std::string_view name;
  void (*make)(Descriptor&);
};

void on_device(Descriptor& d, std::int32_t type) {
  d.device = {type, 0};
  d.data = Descriptor::Data::unmapped;
}

constexpr Unwelcome unwelcome[] = {
    {"a CUDA tensor", [](Descriptor& d) { on_device(d, 2); }},
    {"a Metal tensor", [](Descriptor& d) { on_device(d, 8); }},
    {"an unknown device", [](Descriptor& d) { on_device(d, 99); }},
    {"an unknown dtype code",
     [](Descriptor& d) {
       d.dtype = {200, 32, 1};
     }},
    {"an opaque handle",
     [](Descriptor& d) {
       d.dtype = {3, 64, 1};
     }},
    {"a float of 24 bits",
     [](Descriptor& d) {
       d.dtype = {2, 24, 1};
     }},
    {"four lanes", [](Descriptor& d) { d.dtype.lanes = 4; }},
    {"rank 100",
     [](Descriptor& d) {
       d.ndim = 100;
       d.shape.emplace(100, 1);
       d.strides.emplace(100, 1);
     }},
    {"major version 2",
     [](Descriptor& d) {
       d.form = Form::versioned;
       d.version = {2, 0};
     }},
};

constexpr std::size_t storage_bytes = 256;  // more than any of them describes

// A tensor of two float32 with one thing that may be unwelcome.
Descriptor draw_unwelcome(Case& c, Route route) {
  testbench::require_plain(c.consumer);
  const TensorSpec spec = compact_spec(float32, {2});
  Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.consumer, route));
  c.draw.one_of(unwelcome).make(descriptor);
  return descriptor;
}

void touched_by_refusal(Case& c, bool accepted) {
  if (accepted) return c.declined("accepted");
  c.observe("refused");
  c.touched();
}

DLCERT_CHECK(refused_capsule_is_released_once,
             if_touched(consumer_check("capsule.consume.atomic-on-failure",
                                       "the tensor of a refused capsule is released once in total",
                                       Can::capsules | Can::import_capsule))) {
  Offer offer{draw_unwelcome(c, Route::capsule), Bytes(storage_bytes)};
  Import import{c.consumer, offer, Route::capsule};
  touched_by_refusal(c, import.accepted());
  import.finish();
  expect_deleted_once(offer);
}

DLCERT_CHECK(refused_capsule_of_a_producer_is_released_once,
             if_touched(consumer_check(
                 "capsule.consume.atomic-on-failure",
                 "a producer's capsule that is refused is released once by the consumer",
                 Can::capsules | Can::import_from))) {
  const Offer offer{draw_unwelcome(c, Route::producer), Bytes(storage_bytes)};
  const CapsuleProducer producer{c.consumer, offer};
  auto imported = c.consumer.import_from(producer.c(), import_request());
  if (producer.exports() == 0)
    c.declined("refused before it was handed over");
  else
    touched_by_refusal(c, imported.ok());
  if (imported.ok()) imported.value().release();
  expect_deletions(producer.exports(), offer);
}

// A foreign major version is the consumer's to delete, whatever else it leaves with the caller
// (dlpack.h).
void expect_ownership_by_policy(const Case& c, const Offer& offer, bool live) {
  if (offer.descriptor().version.major != own_version.major) return;
  const auto policy = c.settings.policy("failed-import-ownership");
  expect(policy != "caller" || live, "refused capsule: expected its live name but found another");
  expect(policy != "consumer" || !live, "refused capsule: expected another name but found \"{}\"",
         live_name(offer.descriptor().form));
}

DLCERT_CHECK(
    refused_capsule_is_whole_while_live,
    if_touched(consumer_check("capsule.consume.unconsumed-after-failure",
                              "a refused capsule that keeps its live name can be offered elsewhere",
                              Can::capsules | Can::import_capsule))) {
  Offer offer{draw_unwelcome(c, Route::capsule), Bytes(storage_bytes)};
  Import import{c.consumer, offer, Route::capsule};
  if (import.accepted()) throw Declined{"accepted"};
  const char* const name = live_name(offer.descriptor().form);
  const Capsule& capsule = *import.capsule();
  const bool live = name_of(capsule) == name;
  c.minor([&] { expect_ownership_by_policy(c, offer, live); });
  if (!live) throw Declined{"lost its live name"};
  c.touched();
  c.observe("kept its live name");
  expect_equal("capsule pointer", offer.managed().pointer, capsule.pointer(name));
  expect_equal("deleter calls", 0, offer.deleter_calls());
  expect(offer.described_unchanged(), "refused tensor: expected it unchanged");
}

}  // namespace
}  // namespace dlcert::capsule
