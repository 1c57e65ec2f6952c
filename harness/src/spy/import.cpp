// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>

#include "party/formed.hpp"
#include "spy/capsules.hpp"

namespace dlcert {

namespace {

constexpr std::uint32_t own_major = own_version.major;

template <typename T>
void keep(Outcome<T> outcome, std::optional<T>& value, std::optional<Error>& error) {
  if (outcome.ok())
    value.emplace(std::move(outcome).value());
  else
    error.emplace(outcome.error());
}

// Returns whether a library that refused the bare managed tensor was the one to release it: it
// declared so, or dlpack.h demands it of a foreign major version. Version 0 belongs to no release:
// there either side may have done it.
bool refusal_released(const Party& consumer, const Offer& offer) {
  if (consumer.declares(DLCERT_FAILED_IMPORT_CONSUMES)) return true;
  const Descriptor& descriptor = offer.descriptor();
  if (descriptor.form == Form::legacy || descriptor.version.major == own_major) return false;
  return descriptor.version.major != 0 || offer.deleter_calls() != 0;
}

// Where the tensor's memory lies does not decide whether a call can be formed.
CallKey key_of(const Party& consumer, const Descriptor& offered, Route route,
               const dlcert_import_request& request) {
  CallKey key{consumer, to_text(route)};
  const auto with_number = [&](auto number) { key.with(static_cast<std::uint64_t>(number)); };
  with_number(offered.form);
  with_number(offered.version.major);
  with_number(offered.version.minor);
  with_number(offered.flags);
  with_number(std::bit_cast<std::uint32_t>(offered.dtype));
  with_number(std::bit_cast<std::uint64_t>(offered.device));
  with_number(offered.ndim);
  for (const auto* const values : {&offered.shape, &offered.strides}) {
    with_number(values->has_value());
    if (*values) key.with(**values);
  }
  with_number(offered.byte_offset);
  with_number(offered.data);
  with_number(offered.data_offset);
  with_number(offered.deleter);
  with_number(offered.context);
  with_number(offered.protection);
  return route == Route::producer ? key.with(request) : key;
}

}  // namespace

Import::Import(const Party& consumer, Offer& offer, Route route,
               const dlcert_import_request& request)
    : consumer_{consumer}, offer_{offer}, route_{route} {
  const CallKey key = key_of(consumer, offer.descriptor(), route, request);
  try {
    switch (route) {
      case Route::managed:
        offer.lend_bare();
        keep(consumer.import_managed(offer.managed()), tensor_, error_);
        break;
      case Route::producer:
        producer_ =
            std::make_unique<SpyProducer>(offer.descriptor().device, &offer, consumer,
                                          consumer.offers(static_cast<Needs>(Can::capsules)));
        keep(consumer.import_from(producer_->c(), request), tensor_, error_);
        handed_out_ = producer_->exports() != 0;
        asked_ =
            std::ranges::any_of(producer_->calls(), std::logical_not{}, &SpyProducer::Call::device);
        break;
      case Route::capsule:
        capsule_ = require(live_capsule(consumer, offer), "make a capsule");
        keep(consumer.import_capsule(capsule_), tensor_, error_);
        break;
    }
  } catch (const NotFormable&) {
    if (offer.deleter_calls() != 0)
      fail("the library took the tensor, but reports that it cannot form the call");
    offer.recall();
    expect(!was_formed(key), "import of a {}: {}", to_text(route), formed_before);
    throw;
  }
  if (!accepted()) return;
  offer.note_taken();
  note_formed(key);
}

Import::~Import() {
  if (!finished_) finish();
}

Tensor& Import::tensor() {
  return tensor_.value();
}

const Error& Import::error() const {
  return error_.value();
}

Capsule* Import::capsule() {
  return capsule_ ? &capsule_ : nullptr;
}

bool Import::handed_out() const {
  return route_ != Route::producer || handed_out_;
}

bool Import::asked_in_vain() const {
  return asked_ && !handed_out_;
}

void Import::drop_source() {
  producer_.reset();
  capsule_.drop();
}

void Import::finish() {
  finished_ = true;
  capsule_.drop();
  if (tensor_) {
    tensor_->release();
    return;
  }
  const bool bare_and_ours = route_ == Route::managed && !refusal_released(consumer_, offer_);
  if (bare_and_ours || !handed_out()) return_offer();
}

void Import::return_offer() {
  if (offer_.descriptor().deleter != Descriptor::Deleter::null) offer_.release_from_harness();
}

}  // namespace dlcert
