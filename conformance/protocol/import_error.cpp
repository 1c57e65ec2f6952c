// SPDX-License-Identifier: Apache-2.0
//
// What from_dlpack makes of a producer that raises, or that is none.

#include <algorithm>

#include "protocol/support.hpp"
#include "registration.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(import_error)

namespace {

struct Raised {
  dlcert_error_kind kind;
  const char* type;
};

// TypeError is missing: it makes consumers try again without the newer keywords.
constexpr Raised raised_errors[] = {{DLCERT_ERROR_BUFFER, "BufferError"},
                                    {DLCERT_ERROR_MEMORY, "MemoryError"},
                                    {DLCERT_ERROR_VALUE, "ValueError"},
                                    {DLCERT_ERROR_RUNTIME, "RuntimeError"},
                                    {DLCERT_ERROR_OTHER, "ProducerError"}};

Error draw_error(Draw& draw) {
  const Raised& raised = draw.one_of(raised_errors);
  return {raised.kind, 0, raised.type, "raised by the producer"};
}

void expect_same_error(const Case& c, const Outcome<Tensor>& imported, const Error& raised) {
  expect(!imported.ok(), "import from a producer that raises {}: expected it but found success",
         raised.type);
  const Error& found = imported.error();
  expect_kind(c.consumer, found, raised.kind, "error");
  if (c.consumer.declares(DLCERT_FAITHFUL_ERRORS) && raised.kind == DLCERT_ERROR_OTHER)
    expect_equal("error type", raised.type, found.type);
}

struct Raising {
  std::unique_ptr<Offer> offer;
  std::unique_ptr<SpyProducer> producer;
};

Raising make_raising(Case& c) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Form form = draw_form(c.draw, c.consumer, Route::producer);
  auto offer = make_offer(spec, draw_logical(c.draw, spec), form);
  auto producer = std::make_unique<SpyProducer>(cpu, offer.get(), c.consumer, false);
  return {std::move(offer), std::move(producer)};
}

DLCERT_CHECK(error_of_dlpack_reaches_the_caller,
             if_touched(consumer_check("protocol.from.propagates-errors",
                                       "an error that dlpack raises reaches the caller",
                                       Needs{} | Can::import_from))) {
  const Raising raising = make_raising(c);
  const Error raised = draw_error(c.draw);
  raising.producer->raise_from_dlpack(raised);
  const auto imported = c.consumer.import_from(raising.producer->c(), import_request());
  const auto& calls = raising.producer->calls();
  if (std::all_of(calls.begin(), calls.end(), [](const auto& call) { return call.device; }))
    c.declined("dlpack is not called");
  else
    c.touched();
  expect_same_error(c, imported, raised);
}

// A consumer of one device only may never ask for it.
DLCERT_CHECK(error_of_dlpack_device_reaches_the_caller,
             consumer_check("protocol.from.propagates-errors",
                            "an error that dlpack_device raises reaches the caller",
                            Needs{} | Can::import_from)) {
  const Raising raising = make_raising(c);
  const Error raised = draw_error(c.draw);
  raising.producer->raise_from_device(raised);
  const auto imported = c.consumer.import_from(raising.producer->c(), import_request());
  const auto& calls = raising.producer->calls();
  if (std::none_of(calls.begin(), calls.end(), [](const auto& call) { return call.device; }))
    throw Declined{"dlpack_device is not called"};
  c.minor([&] { expect_same_error(c, imported, raised); });
  // The order of the two calls is the consumer's choice.
  expect_deletions(raising.producer->exports(), *raising.offer);
}

DLCERT_CHECK(object_without_the_protocol_is_refused,
             if_touched(consumer_check("protocol.from.attribute-error",
                                       "an object with neither method is refused",
                                       Needs{} | Can::import_from))) {
  const Raising raising = make_raising(c);
  raising.producer->without_device();
  raising.producer->without_dlpack();
  const auto imported = c.consumer.import_from(raising.producer->c(), import_request());
  expect_refusal(!imported.ok(),
                 "import of an object without dlpack: expected a refusal but found success");
  if (c.settings.policy("missing-protocol-error") == "attribute")
    expect_kind(c.consumer, imported.error(), DLCERT_ERROR_ATTRIBUTE, "error");
  touched_if_takes_plain(c, Route::producer, raising.offer->descriptor().form);
}

}  // namespace
}  // namespace dlcert::protocol
