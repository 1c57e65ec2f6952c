// SPDX-License-Identifier: Apache-2.0

#include "capsule/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <dlcert/suite/trace.hpp>

namespace dlcert::capsule {

using testbench::managed_inside;
using testbench::plain;

dlcert_request draw_version_request(Case& c) {
  const std::array requests{request(),
                            request_version(0, 8),
                            request_version(1, 0),
                            request_version(1, 1),
                            request_version(1, 3),
                            request_version(1, 99),
                            request_version(2, 0),
                            request_version(100, 0)};
  const dlcert_request drawn = c.draw.one_of(requests);
  const bool asks = drawn.max_version.tag != DLCERT_ABSENT;
  return asks && !testbench::can_ask_for_version(c.producer) ? request() : drawn;
}

bool allows_versioned(const dlcert_request& request) {
  return request.max_version.tag == DLCERT_PAIR && request.max_version.first >= 1;
}

Capsule export_capsule(Case& c, const Source& source, const dlcert_request& request) {
  auto capsule = c.producer.export_capsule(source.tensor, request);
  if (!capsule.ok() && !(plain(source.spec) && allows_versioned(request)))
    throw NotClaimed{"a capsule for this request"};
  return require(std::move(capsule), "export of a claimed tensor");
}

std::string name_of(const Capsule& capsule) {
  return capsule.name().value_or("(none)");
}

Form form_of(dlcert_managed managed) {
  return managed.form == DLCERT_LEGACY ? Form::legacy : Form::versioned;
}

dlcert_managed require_live(const Capsule& capsule) {
  const auto inside = managed_inside(capsule);
  if (!inside) [[unlikely]]
    fail_equal("capsule name", "a live name", to_text(name_of(capsule)));
  expect(inside->pointer != nullptr, "capsule pointer: expected a managed tensor but found NULL");
  return *inside;
}

OfferedTensor draw_offered(Case& c, Form form) {
  TensorSpec spec = draw_spec(c.draw, c.consumer, {.padded = form == Form::versioned});
  Bytes logical = draw_logical(c.draw, spec);
  auto offer = make_offer(spec, logical, form);
  return {std::move(spec), std::move(logical), std::move(offer)};
}

OfferedTensor draw_offered(Case& c) {
  return draw_offered(c, draw_form(c.draw, c.consumer, Route::capsule));
}

// ---- hand-made capsules ----

namespace {

// A capsule's destructor gets no context, so its record has to be in one place.
DestructorCalls recorded_calls;

void record_call(void* pointer, const char* name) {
  ++recorded_calls.count;
  recorded_calls.name = name == nullptr ? std::nullopt : std::optional<std::string>{name};
  if (name == nullptr) return;
  if (std::strcmp(name, live_name(Form::legacy)) == 0)
    call_deleter({DLCERT_LEGACY, 0, pointer});
  else if (std::strcmp(name, live_name(Form::versioned)) == 0)
    call_deleter({DLCERT_VERSIONED, 0, pointer});
}

}  // namespace

Capsule make_recording_capsule(const Party& consumer, const Offer& offer) {
  recorded_calls = {};
  return require(consumer.make_capsule(offer.managed().pointer, live_name(offer.descriptor().form),
                                       record_call),
                 "making a capsule");
}

const DestructorCalls& destructor_calls() {
  return recorded_calls;
}

CapsuleProducer::CapsuleProducer(const Party& consumer, const Offer& offer)
    : consumer_{consumer}, offer_{offer} {
  producer_.struct_size = sizeof producer_;
  producer_.context = this;
  producer_.dlpack_device = answer_device;
  producer_.dlpack = answer_dlpack;
  tell();
}

// Its capsules are those of the harness's own producers, to a program that shows the case.
void CapsuleProducer::tell() const {
  TraceSink* const sink = trace();
  if (sink == nullptr) return;
  const dlcert_device device = offer_.descriptor().device;
  const std::string name = new_trace_name("p"), managed = offer_.trace_name();
  tell_step(*sink,
            fmt::format("{} = object on {}, dlpack() returns {} in a capsule", name,
                        to_text(device), managed),
            fmt::format("dlcert_producer* {} = producer({}, {}, {});", name, device.type, device.id,
                        managed),
            {.kind = ProgramStep::Kind::own,
             .code = fmt::format("Producer(({}, {}), {})", device.type, device.id, managed),
             .name = name});
  tell_step(*sink, {}, fmt::format("producer_in_capsules({}, {});", name, consumer_.label()), {});
  bind_trace_name(&producer_, name);
}

dlcert_status CapsuleProducer::answer_device(void* self, dlcert_device* out, dlcert_error*) {
  *out = static_cast<const CapsuleProducer*>(self)->offer_.descriptor().device;
  return DLCERT_OK;
}

// The consumer's own frames lie between this and the check: nothing may be thrown.
dlcert_status CapsuleProducer::answer_dlpack(void* self, const dlcert_request*,
                                             dlcert_exported* out, dlcert_error* error) try {
  auto& me = *static_cast<CapsuleProducer*>(self);
  if (me.exports_ != 0) {
    error->kind = DLCERT_ERROR_BUFFER;
    std::strncpy(error->message, "the tensor was handed out before", sizeof error->message - 1);
    return DLCERT_REFUSED;
  }
  out->capsule = make_recording_capsule(me.consumer_, me.offer_).give_up();
  ++me.exports_;
  return DLCERT_OK;
} catch (...) {
  error->kind = DLCERT_ERROR_RUNTIME;
  return DLCERT_REFUSED;
}

}  // namespace dlcert::capsule
