// SPDX-License-Identifier: Apache-2.0
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

// Whether a library that refused the bare managed tensor was the one to release it: it declared so,
// or dlpack.h demands it of a foreign major version. Version 0 belongs to no release: there either
// side may have done it.
bool refusal_released(const Party& consumer, const Offer& offer) {
  if (consumer.declares(DLCERT_FAILED_IMPORT_CONSUMES)) return true;
  const Descriptor& descriptor = offer.descriptor();
  if (descriptor.form == Form::legacy || descriptor.version.major == own_major) return false;
  return descriptor.version.major != 0 || offer.deleter_calls() != 0;
}

}  // namespace

Import::Import(const Party& consumer, Offer& offer, Route route,
               const dlcert_import_request& request)
    : consumer_{consumer}, offer_{offer}, route_{route} {
  try {
    switch (route) {
      case Route::managed:
        keep(consumer.import_managed(offer.managed()), tensor_, error_);
        break;
      case Route::producer:
        producer_ =
            std::make_unique<SpyProducer>(offer.descriptor().device, &offer, consumer,
                                          consumer.offers(static_cast<Needs>(Can::capsules)));
        keep(consumer.import_from(producer_->c(), request), tensor_, error_);
        handed_out_ = producer_->exports() != 0;
        break;
      case Route::capsule:
        capsule_ = require(live_capsule(consumer, offer), "make a capsule");
        keep(consumer.import_capsule(capsule_), tensor_, error_);
        break;
    }
  } catch (const NotFormable&) {
    if (offer.deleter_calls() != 0)
      fail("the library took the tensor, and says that it cannot form the call");
    offer.recall();
    throw;
  }
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
