// SPDX-License-Identifier: Apache-2.0
//
// Versions as a consumer asks for them, and what it makes of the answer.

#include <algorithm>
#include <array>

#include <dlcert/suite/trace.hpp>

#include "protocol/support.hpp"
#include "registration.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(import_version)

namespace {

using testbench::takes;

bool asks_for_versions(const dlcert_request& request) {
  return request.max_version.tag == DLCERT_PAIR && request.max_version.first >= 1;
}

bool has_asked_for_versions(const SpyProducer& producer) {
  const auto& calls = producer.calls();
  return std::any_of(calls.begin(), calls.end(), [](const auto& call) {
    return !call.device && asks_for_versions(call.request);
  });
}

// Everything behind the flags is inaccessible: what comes after a foreign version has no meaning.
DLCERT_CHECK_ALSO_ON_DEVICES(
    foreign_major_is_refused_unread,
    consumer_check("protocol.maxversion.consumer-verifies",
                   "a tensor of a foreign major version is refused, released and not read",
                   Needs{} | Can::import_from)) {
  constexpr std::array<std::uint32_t, 4> majors{2, 3, 99, UINT32_MAX};
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  descriptor.version = {c.draw.one_of(majors), static_cast<std::uint32_t>(c.draw.between(0, 9))};
  descriptor.protection = Protection::sealed_tail;
  const auto offer = place_offer(spec, draw_logical(c.draw, spec), descriptor);
  SpyProducer producer{spec.device, offer.get(), c.consumer, false};
  const auto imported = c.consumer.import_from(producer.c(), import_request());
  if (producer.exports() == 0) throw NotClaimed{"versioned tensors"};
  owned_by("abi.version.major-mismatch-error", [&] {
    expect_refusal(!imported.ok(),
                   "import of a tensor of major version {}: expected a refusal but found success",
                   descriptor.version.major);
  });
  expect_deleted_once(*offer);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    legacy_answer_is_taken_or_refused,
    if_touched(consumer_check("protocol.maxversion.consumer-verifies",
                              "a legacy answer to a versioned request is taken or refused",
                              importing_objects))) {
  const TensorSpec spec = draw_spec(c.draw, c.consumer, {.padded = false});
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = place_offer(spec, logical, Form::legacy);
  SpyProducer producer{spec.device, offer.get(), c.consumer, false};
  auto imported = c.consumer.import_from(producer.c(), import_request());
  if (!has_asked_for_versions(producer)) throw NotClaimed{"versioned tensors"};
  c.observe(imported.ok() ? "taken" : "refused");
  if (imported.ok()) {
    c.touched();
    expect_holds(c.consumer, imported.value(), spec, logical);
    imported.value().release();
  } else {
    touched_if_takes_plain(c, Route::producer, Form::versioned);
  }
  expect_deletions(producer.exports(), *offer);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    versioned_consumer_passes_max_version,
    consumer_check("protocol.maxversion.consumer-passes",
                   "a consumer that takes versioned tensors passes max_version",
                   Needs{} | Can::import_from)) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const auto offer = place_offer(spec, draw_logical(c.draw, spec), Form::legacy);
  SpyProducer producer{spec.device, offer.get(), c.consumer, false};
  const auto imported = c.consumer.import_from(producer.c(), import_request());
  c.observe(imported.ok() ? "taken" : "refused");
  if (!has_asked_for_versions(producer) && !takes(c.consumer, Form::versioned))
    throw NotClaimed{"versioned tensors"};
  const auto judged = [&]() -> Judgement {
    const std::string requests = trace_name(&producer.c()) + ".requests";
    return {.by = Judgement::By::condition,
            .expected = "\"a max_version of (1, 0) or more\"",
            .found = requests,
            .code = fmt::format("any((asked.get(\"max_version\") or (0, 0))[0] >= 1 "
                                "for asked in {})",
                                requests)};
  };
  seen_by(judged, [&] {
    expect(has_asked_for_versions(producer),
           "max_version: expected a pair with a major version of 1 or more but found none");
  });
}

}  // namespace
}  // namespace dlcert::protocol
