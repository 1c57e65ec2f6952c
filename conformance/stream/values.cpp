// SPDX-License-Identifier: Apache-2.0
//
// Values that name no stream of the device, and devices without streams.

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <dlcert/suite/trace.hpp>

#include "generators/device_specs.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/errors.hpp"
#include "testbench/exports.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(values)

namespace {

// What a producer offers that may tell no stream.
constexpr Needs exporting = Needs{} | Can::create;

using testbench::copies_to;
using testbench::DeviceSession;
using testbench::export_in_either_form;
using testbench::export_tensor;
using testbench::Exported;
using testbench::make_source;
using testbench::names;
using testbench::number_of;
using testbench::producing;
using testbench::request_on;
using testbench::Source;
using testbench::StreamExport;
using testbench::StreamHandle;
using testbench::to_host;
using testbench::touched_if;

constexpr dlcert_device cpu{1, 0};

// ---- devices with streams -----------------------------------------------------------------------

// A tensor on a device, exported with `value` as the stream while nothing is pending. Refusals need
// no more: no stream of the library is made current.
class IdleExport {
 public:
  explicit IdleExport(Case& c)
      : case_{c},
        session_{c},
        device_{session_.draw_device()},
        source_{make_source(c, draw_claimed_on(c, session_.device(device_)))} {}

  bool accepts(const dlcert_value& value) {
    last_.reset();
    calls_ = session_.calls_of([&] {
      session_.on(device_, [&] {
        last_.emplace(export_in_either_form(case_, source_.tensor, request_on(case_.draw, value)));
      });
    });
    return last_->ok();
  }
  // Returns whether it takes a stream of the device by its number.
  bool accepts_a_stream() {
    const StreamHandle stream = session_.stream(device_, StreamHandle::Kind::non_blocking);
    return accepts(integer(number_of(session_, stream)));
  }
  // The driver's calls of the last export.
  const std::vector<driver::Call>& calls() const { return calls_; }

 private:
  static TensorSpec draw_claimed_on(Case& c, dlcert_device device) {
    TensorSpec spec = draw_device_spec(c.draw, c.producer, device);
    require_claimed(c.producer, spec);
    return spec;
  }

  Case& case_;
  DeviceSession session_;
  int device_;
  Source source_;
  // Lives while it is judged: the call of its deleter would be the last call.
  std::optional<Outcome<Exported>> last_;
  std::vector<driver::Call> calls_;
};

// Returns whether the producer takes `value`, which is never a handle.
bool accepts(IdleExport& exports, std::int64_t value) {
  const bool accepted = exports.accepts(integer(value));
  const bool taken_for_a_handle =
      std::ranges::any_of(exports.calls(), [&](const driver::Call& call) {
        return call.stream == driver::Stream{static_cast<std::uintptr_t>(value)};
      });
  expect(value >= 0 || !taken_for_a_handle, "stream {}: found it passed to the driver as a handle",
         value);
  return accepted;
}

// The producer refuses `value`, where the policy lets it be judged.
void expect_refused(Case& c, std::int64_t value) {
  IdleExport exports{c};
  const bool accepted = accepts(exports, value);
  if (c.settings.policy("stream-invalid-rejection") == "record") {
    c.touched();
    return c.observe(accepted ? "accepted" : "refused");
  }
  expect_refusal(!accepted, "stream {}: expected a refusal but it was accepted", value);
  touched_if(c, exports.accepts_a_stream(), "every stream is refused");
}

DLCERT_CHECK(one_and_two_are_refused_on_rocm,
             if_touched(on_rocm(with_device_tensors(producer_check(
                 "stream.rocm.one-two-rejected", "1 and 2 are refused", exporting))))) {
  expect_refused(c, c.draw.between(1, 2));
}

DLCERT_CHECK(values_below_minus_one_are_refused,
             if_touched(on_both_vendors(with_device_tensors(producer_check(
                 "stream.range-rejected", "values below -1 are refused", exporting))))) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::array edges{std::int64_t{-2}, std::int64_t{-3}, lowest, lowest + 1};
  expect_refused(c, c.draw.flip() ? c.draw.one_of(edges) : -2 - c.draw.between(0, 1 << 20));
}

DLCERT_CHECK(zero_is_refused,
             if_touched(on_cuda(with_device_tensors(producer_check("stream.cuda.zero-rejected",
                                                                   "0 is refused", exporting))))) {
  IdleExport exports{c};
  const bool accepted = accepts(exports, 0);
  expect_refusal(
      !accepted || c.settings.policy("stream-zero-cuda") == "legacy-default",
      "stream 0, which may be either default stream: expected a refusal but it was accepted");
  if (accepted) return c.touched();
  touched_if(c, exports.accepts(none()), "an export without a stream is refused too");
}

// ---- devices without streams --------------------------------------------------------------------

Source host_source(Case& c) {
  return make_source(c, draw_simple_spec(c.draw, c.producer));
}

DLCERT_CHECK(host_data_takes_no_stream_but_none,
             producer_check("stream.none-only-without-streams",
                            "host memory is exported with None and with no other stream",
                            exporting)) {
  const Source source = host_source(c);
  const auto with_none = export_in_either_form(c, source.tensor, request_on(c.draw, none()));
  expect_acceptance(with_none.ok(), "stream=None on host memory: expected success but found {}",
                    with_none.ok() ? "" : to_text(with_none.error()));
  constexpr std::array<std::int64_t, 3> streams{0, 1, 5};
  const std::int64_t value = c.draw.one_of(streams);
  expect_refusal(!export_tensor(c, source.tensor, request_on(c.draw, integer(value))).ok(),
                 "stream {} on host memory: expected a refusal but it was accepted", value);
}

DLCERT_CHECK(host_consumer_names_no_stream,
             consumer_check("stream.none-only-without-streams",
                            "a consumer of host memory names no stream",
                            Needs{} | Can::import_from)) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const auto offer = make_offer(spec, draw_logical(c.draw, spec), Form::versioned);
  SpyProducer producer{cpu, offer.get(), c.consumer, false};
  const auto imported = c.consumer.import_from(producer.c(), import_request());
  if (producer.exports() == 0) throw Declined{"the producer is not asked for an export"};
  const auto judged = [&]() -> Judgement {
    return {.by = Judgement::By::value,
            .expected = "True",
            .code = fmt::format("all(asked.get(\"stream\") is None for asked in {}.requests)",
                                trace_name(&producer.c()))};
  };
  seen_by(judged, [&] {
    for (const SpyProducer::Call& call : producer.calls())
      expect(call.device || call.request.stream.tag <= DLCERT_NONE,
             "stream for host memory: expected none but found {}", to_text(call.request.stream));
  });
}

DLCERT_CHECK(minus_one_exporting_follows_the_policy,
             if_touched(producer_check("stream.cpu.minus-one",
                                       "what the producer of host memory makes of -1 is recorded",
                                       exporting))) {
  const Source source = host_source(c);
  const bool accepted = export_tensor(c, source.tensor, request_on(c.draw, integer(-1))).ok();
  const std::string_view policy = c.settings.policy("stream-minus-one-cpu");
  c.observe(accepted ? "accepted" : "refused");
  touched_if(c, accepted || export_tensor(c, source.tensor, request_on(c.draw, none())).ok(),
             "an export without a stream is refused too");
  expect(policy == "record" || accepted == (policy == "accept"),
         "policy stream-minus-one-cpu={}: found stream -1 {}", policy,
         accepted ? "accepted" : "refused");
}

// ---- another target -----------------------------------------------------------------------------

DLCERT_CHECK(stream_for_the_host_is_refused_or_harmless,
             if_touched(on_both_vendors(producer_check(
                 "stream.dldevice-valid",
                 "a stream for the host is refused, or its data is complete", producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = session.draw_consumer_stream(transfer.stream());
  transfer.run(to_host(request_on(c.draw, integer(number_of(session, consumer)))));
  if (!transfer.accepted()) {
    if (!transfer.run_idle(to_host(request_on(c.draw, none()))).ok())
      throw Declined{"an export to the host is refused without a stream too"};
    c.observe("refused");
    return c.touched();
  }
  transfer.tell_touched();
  c.minor([&] {
    expect(c.settings.policy("stream-with-dldevice") == "complete",
           "policy stream-with-dldevice=refuse: expected a refusal but it was accepted");
  });
  transfer.expect_complete();
}

DLCERT_CHECK(data_for_the_host_is_complete,
             if_touched(on_both_vendors(producer_check(
                 "stream.dldevice-cpu-sync",
                 "data for the host is complete when the export returns", producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  transfer.run(to_host(request_on(c.draw, c.draw.flip() ? none() : absent())));
  if (!transfer.accepted()) throw Declined{"an export to the host is refused"};
  transfer.tell_touched();
  transfer.expect_complete();
}

// Exports a copy for a stream behind pending work; ends the case if none comes.
void copy_for(StreamExport& transfer, dlcert_request asked) {
  asked.copy = boolean(true);
  transfer.run(asked);
  transfer.require_accepted();
  if (transfer.exported_range().begin == transfer.range().begin)
    throw Declined{"the export is no copy"};
  transfer.tell_touched();
}

DLCERT_CHECK(requested_copy_is_in_order,
             if_touched(on_both_vendors(
                 producer_check("stream.producer-orders",
                                "a copy is in order on the consumer's stream", producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  const StreamHandle consumer = session.draw_consumer_stream(transfer.stream());
  copy_for(transfer, request_on(c.draw, integer(number_of(session, consumer))));
  transfer.expect_ordered(consumer);
}

// With a dl_device, which the rule names beside the stream.
DLCERT_CHECK(copy_is_made_on_the_consumers_stream,
             if_touched(on_both_vendors(
                 producer_check("stream.copy-over-stream",
                                "a copy is made on the consumer's stream, in order", producing)))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamExport transfer{c, session, session.draw_stream(device)};
  const StreamHandle consumer = session.draw_consumer_stream(transfer.stream());
  dlcert_request asked = request_on(c.draw, integer(number_of(session, consumer)));
  const dlcert_device own = session.device(device);
  asked.dl_device = pair(own.type, own.id);
  copy_for(transfer, asked);
  const auto copies = copies_to(transfer.exported_range(), transfer.calls());
  c.minor([&] {
    expect(!session.records_calls() || !copies.empty(),
           "calls of the driver: expected a copy but found none");
    for (const driver::Call& call : copies)
      expect(names(call.stream, consumer),
             "stream of {}: expected the consumer's {:#x} but found {:#x}", call.function,
             static_cast<std::uintptr_t>(consumer.native),
             static_cast<std::uintptr_t>(call.stream));
  });
  transfer.expect_ordered(consumer);
}

int another(const DeviceSession& session, int device) {
  if (session.devices() < 2) throw NotClaimed{"a second device"};
  return device == 0 ? 1 : 0;
}

DLCERT_CHECK(copy_to_another_device_is_in_order,
             if_touched(on_both_vendors(producer_check(
                 "stream.copy-over-stream",
                 "a copy on another device is in order on the consumer's stream there",
                 producing)))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  const int there = another(session, device);
  StreamExport transfer{c, session, session.draw_stream(device)};
  const StreamHandle consumer = session.stream(there, StreamHandle::Kind::non_blocking);
  dlcert_request asked = request_on(c.draw, integer(number_of(session, consumer)));
  const dlcert_device requested = session.device(there);
  asked.dl_device = pair(requested.type, requested.id);
  transfer.run(asked);
  if (!transfer.accepted()) throw Declined{"an export to another device is refused"};
  if (!(testbench::device_of(transfer.exported().managed()) == requested))
    throw Declined{"the export is on another device than was asked for"};
  transfer.tell_touched();
  transfer.expect_ordered(consumer);
}

// ---- memory that host and devices share ---------------------------------------------------------

DLCERT_CHECK(shared_memory_is_recorded,
             on_both_vendors(producer_check("stream.managed.unspecified",
                                            "how pinned and managed memory is exported is recorded",
                                            producing))) {
  DeviceSession session{c};
  const bool managed = !session.rocm() && c.draw.flip();
  const auto kind = managed ? driver::MemoryKind::managed : driver::MemoryKind::pinned;
  const StreamHandle stream = session.stream(0, StreamHandle::Kind::non_blocking);
  StreamExport transfer{c, session, stream, session.device_of(kind, 0)};
  transfer.run(request_on(c.draw, c.draw.flip() ? none() : absent()));
  if (!transfer.accepted()) throw Declined{"refused without a stream"};
  c.observe(transfer.is_complete_for_host() ? "complete for the host" : "pending");
}

// ---- devices that are not current ---------------------------------------------------------------

// What an export orders that names `value`; nothing for -1.
struct NamedStream {
  dlcert_value value;
  std::optional<StreamHandle> stream;
};

NamedStream draw_named(Case& c, DeviceSession& session, const StreamHandle& own) {
  switch (c.draw.below(4)) {
    case 0:
      return {integer(-1), std::nullopt};
    case 1: {
      const bool cuda = !session.rocm();
      const auto policy = c.settings.policy(cuda ? "stream-none-cuda" : "stream-none-rocm");
      if (policy == "no-synchronization") return {none(), std::nullopt};
      return {none(), session.stream(own.device, StreamHandle::Kind::legacy)};
    }
    default: {
      const StreamHandle drawn = session.draw_consumer_stream(own);
      return {integer(number_of(session, drawn)), drawn};
    }
  }
}

// That the current device stays is stream.current-device-kept.
DLCERT_CHECK(export_while_another_device_is_current,
             if_touched(on_both_vendors(
                 producer_check("stream.export-foreign-current-device",
                                "an export leaves another current device alone", producing)))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  const int current = another(session, device);
  StreamExport transfer{c, session, session.draw_stream(device)};
  const NamedStream named = draw_named(c, session, transfer.stream());
  session.on(current, [&] { transfer.run(request_on(c.draw, named.value)); });
  const std::string_view policy = c.settings.policy("export-foreign-current-device");
  c.observe(transfer.accepted() ? "exported" : "refused");
  touched_if(c, transfer.accepted() || policy != "either", "an export from there is refused");
  c.minor([&] {
    expect(policy == "either" || transfer.accepted() == (policy == "export"),
           "policy export-foreign-current-device={}: found the export {}", policy,
           transfer.accepted() ? "accepted" : "refused");
  });
  if (transfer.accepted() && named.stream) transfer.expect_ordered(*named.stream);
}

}  // namespace
}  // namespace dlcert::stream
