// SPDX-License-Identifier: Apache-2.0
//
// Which stream a consumer names to the producer.

#include <fmt/format.h>

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/facts.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(consumer)

namespace {

using testbench::adopted;
using testbench::consuming;
using testbench::DeviceSession;
using testbench::judged_stream;
using testbench::judged_stream_condition;
using testbench::number_of;
using testbench::Owners;
using testbench::StreamHandle;
using testbench::StreamImport;

bool names_nothing(const dlcert_value& asked) {
  return asked.tag == DLCERT_ABSENT || asked.tag == DLCERT_NONE;
}

bool is_number(const dlcert_value& asked, std::int64_t number) {
  return asked.tag == DLCERT_INT && asked.first == number;
}

// The consumer's current stream is `stream`; what it then named.
const dlcert_value& named_on(StreamImport& transfer, const StreamHandle& stream) {
  transfer.order_nothing();
  transfer.import_on(stream, [] {});
  return transfer.named();
}

// A wrong stream was named.
Owners owners_of_stream(const DeviceSession& session, const dlcert_value& asked) {
  if (session.rocm() && (is_number(asked, 1) || is_number(asked, 2)))
    return {"stream.rocm.one-two-never-sent", "stream.consumer-passes"};
  if (!session.rocm() && is_number(asked, 0))
    return {"stream.cuda.zero-never-sent", "stream.consumer-passes"};
  return {"stream.consumer-passes"};
}

// The number by which a program names the stream.
std::string number_text(const DeviceSession& session, const StreamHandle& stream) {
  if (stream.kind == StreamHandle::Kind::legacy) return to_literal(number_of(session, stream));
  return testbench::handle_text(stream);
}

// Fails unless the consumer named a right stream, which a program sees by `judged`.
template <typename... Args>
void expect_named(bool right, const Judgement& judged, fmt::format_string<Args...> message,
                  Args&&... args) {
  if (!right) fail(fmt::format(message, std::forward<Args>(args)...), judged);
}

// Rules about numbers say something of consumers that name one.
void tell_named(Case& c, const dlcert_value& asked) {
  if (asked.tag == DLCERT_INT)
    c.touched();
  else
    c.declined("named no stream by number");
}

// ---- the stream on which the data is used ----

// A value that names no stream is another rule's.
void expect_ordered(StreamImport& transfer) {
  const dlcert_value& asked = transfer.named();
  const bool is_no_stream = asked.tag == DLCERT_INT && asked.first < -1;
  owned_by(is_no_stream ? Owners{"stream.range"} : Owners{}, [&] { transfer.expect_readable(); });
}

DLCERT_CHECK(data_is_read_in_order,
             on_both_vendors(consumer_check(
                 "stream.consumer-passes", "data is read behind the work that the producer ordered",
                 consuming))) {
  DeviceSession session{c};
  const StreamHandle stream = session.draw_stream(session.draw_device());
  StreamImport transfer{c, session, stream.device};
  transfer.import_on(stream, [&] {
    if (transfer.accepted()) expect_ordered(transfer);
  });
  transfer.expect_accepted();
}

// Who names another stream, or -1, makes his own one wait by himself.
void read_behind_another(Case& c, StreamImport& transfer) {
  c.observe("named another stream");
  expect_ordered(transfer);
}

DLCERT_CHECK(current_stream_is_named,
             if_touched(on_both_vendors(consumer_check(
                 "stream.consumer-passes",
                 "the consumer names the stream on which it uses the data", consuming)))) {
  DeviceSession session{c};
  const StreamHandle stream = session.draw_stream(session.draw_device());
  StreamImport transfer{c, session, stream.device};
  transfer.import_on(stream, [&] {
    if (!is_number(transfer.named(), number_of(session, transfer.stream())) && transfer.accepted())
      read_behind_another(c, transfer);
  });
  c.touched();
}

// ---- values ----

// A default stream in half of the cases: that is where 0, 1 and 2 come from.
StreamHandle draw_often_default(Case& c, DeviceSession& session, StreamHandle::Kind kind) {
  const int device = session.draw_device();
  return c.draw.flip() ? session.stream(device, kind) : session.draw_stream(device);
}

DLCERT_CHECK(no_value_below_minus_one,
             if_touched(on_both_vendors(consumer_check(
                 "stream.range", "the consumer names no value below -1", consuming)))) {
  DeviceSession session{c};
  const StreamHandle stream = session.draw_stream(session.draw_device());
  StreamImport transfer{c, session, stream.device};
  const dlcert_value asked = named_on(transfer, stream);
  tell_named(c, asked);
  expect_named(asked.tag != DLCERT_INT || asked.first >= -1,
               judged_stream_condition("named[-1] >= -1", "-1 or more"),
               "stream of the consumer: expected -1 or more but found {}", to_text(asked));
}

DLCERT_CHECK(zero_is_never_named,
             if_touched(on_cuda(consumer_check("stream.cuda.zero-never-sent",
                                               "the consumer never names 0", consuming)))) {
  DeviceSession session{c};
  const StreamHandle stream = draw_often_default(c, session, StreamHandle::Kind::legacy);
  StreamImport transfer{c, session, stream.device};
  const dlcert_value asked = named_on(transfer, stream);
  tell_named(c, asked);
  expect_named(!is_number(asked, 0), judged_stream_condition("named[-1] != 0", "not 0"),
               "stream of the consumer: found 0, which CUDA does not have");
}

DLCERT_CHECK(one_and_two_are_never_named,
             if_touched(on_rocm(consumer_check("stream.rocm.one-two-never-sent",
                                               "the consumer never names 1 or 2", consuming)))) {
  DeviceSession session{c};
  const StreamHandle stream = draw_often_default(
      c, session,
      c.draw.one_of(std::array{StreamHandle::Kind::legacy, StreamHandle::Kind::per_thread}));
  StreamImport transfer{c, session, stream.device};
  const dlcert_value asked = named_on(transfer, stream);
  tell_named(c, asked);
  expect_named(!is_number(asked, 1) && !is_number(asked, 2),
               judged_stream_condition("named[-1] not in (1, 2)", "neither 1 nor 2"),
               "stream of the consumer: found {}, which ROCm does not have", to_text(asked));
}

// Whether the consumer used its default stream: its current one, unless it named one of its own, or
// -1, which asks for no order.
bool uses_default_stream(const StreamImport& transfer, const dlcert_value& asked) {
  return transfer.stream().kind == StreamHandle::Kind::legacy &&
         !(asked.tag == DLCERT_INT && (asked.first == -1 || asked.first > 2));
}

DLCERT_CHECK(
    default_stream_is_named_explicitly,
    on_both_vendors(consumer_check("stream.explicit-default-preferred",
                                   "a consumer on its default stream names it", consuming)),
    on_both_vendors(consumer_check("stream.torch.default-mapped-to-one",
                                   "the null stream is named 1, or 0 where that is the default",
                                   consuming))) {
  DeviceSession session{c};
  const StreamHandle stream = session.stream(session.draw_device(), StreamHandle::Kind::legacy);
  StreamImport transfer{c, session, stream.device};
  const dlcert_value asked = named_on(transfer, stream);
  if (!uses_default_stream(transfer, asked)) throw Declined{"it does not use its default stream"};
  owned_by(owners_of_stream(session, asked), [&] {
    expect_named(is_number(asked, number_of(session, stream)),
                 judged_stream(number_text(session, stream)),
                 "stream of a consumer on its default stream: expected {} but found {}",
                 number_of(session, stream), to_text(asked));
  });
}

DLCERT_CHECK(host_target_is_asked_without_a_stream,
             on_both_vendors(consumer_check("stream.dldevice-valid",
                                            "data in host memory is asked for without a stream",
                                            consuming))) {
  DeviceSession session{c};
  const StreamHandle stream = session.draw_stream(session.draw_device());
  StreamImport transfer{c, session, stream.device};
  transfer.want_host_copy();
  const dlcert_value asked = named_on(transfer, stream);
  if (!transfer.asked_for_host()) throw Declined{"the producer is not asked for host memory"};
  expect(names_nothing(asked), "stream for data in host memory: expected none but found {}",
         to_text(asked));
}

DLCERT_CHECK(stream_for_shared_memory_is_recorded,
             on_both_vendors(consumer_check(
                 "stream.managed.unspecified",
                 "what is named for pinned and managed memory is recorded", consuming))) {
  DeviceSession session{c};
  const bool managed = !session.rocm() && c.draw.flip();
  StreamImport transfer{c, session,
                        managed ? driver::MemoryKind::managed : driver::MemoryKind::pinned};
  const dlcert_value asked = named_on(transfer, session.draw_stream(0));
  c.observe(names_nothing(asked) ? "no stream" : "a stream");
  expect_named(names_nothing(asked) || c.settings.policy("stream-managed") == "record",
               judged_stream("None"), "policy stream-managed=none: expected no stream but found {}",
               to_text(asked));
}

// ---- torch ----

DLCERT_CHECK(sources_device_decides,
             on_both_vendors(consumer_check("stream.torch.current-stream-of-source",
                                            "the current stream of the source's device is named",
                                            consuming))) {
  DeviceSession session{c};
  if (session.devices() < 2) throw NotClaimed{"a second device"};
  const int device = session.draw_device();
  const int other = device == 0 ? 1 : 0;
  const StreamHandle here = session.stream(other, StreamHandle::Kind::non_blocking);
  const StreamHandle there = session.stream(device, StreamHandle::Kind::non_blocking);
  StreamImport transfer{c, session, device};
  dlcert_value asked{};
  const auto import = [&] { asked = named_on(transfer, there); };
  session.on(other, [&] {
    testbench::run_within(c.consumer, session, adopted(c.consumer, session, here), import);
  });
  const std::int64_t expected = number_of(session, transfer.stream());
  owned_by(owners_of_stream(session, asked), [&] {
    expect_named(
        is_number(asked, expected), judged_stream(number_text(session, transfer.stream())),
        "stream of the consumer: expected {}, current on the source's device, but found {}",
        expected, to_text(asked));
  });
}

// The consumer claims such a tensor in memory of the host or of a GPU.
void require_some_device(const Case& c, TensorSpec spec) {
  for (const std::int32_t type : {kDLCPU, kDLCUDA, kDLROCM}) {
    spec.device = {type, 0};
    if (c.consumer.can(spec)) return;
  }
  throw NotClaimed{"a tensor of this dtype"};
}

DLCERT_CHECK(no_stream_for_other_devices,
             if_touched(consumer_check("stream.torch.no-stream-otherwise",
                                       "for other device types the stream is omitted",
                                       Needs{} | Can::import_from))) {
  constexpr std::array<std::int32_t, 5> types{1, 3, 11, 13, 14};
  const dlcert_device device{c.draw.one_of(types), 0};
  const TensorSpec spec = compact_spec(float32, {2});
  require_some_device(c, spec);
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  descriptor.device = device;
  descriptor.data = device.type == 1 ? Descriptor::Data::storage : Descriptor::Data::unmapped;
  Offer offer{descriptor, Bytes(8)};
  SpyProducer producer{device, &offer, c.consumer, false};
  {
    const auto imported = c.consumer.import_from(producer.c(), import_request());
    for (const SpyProducer::Call& call : producer.calls()) {
      if (call.device) continue;
      c.touched();
      const bool unspecified =
          device.type == kDLCUDAHost || device.type == kDLROCMHost || device.type == kDLCUDAManaged;
      const Owners owners = unspecified
                                ? Owners{"stream.managed.unspecified", "protocol.from.keywords"}
                                : Owners{"protocol.from.keywords"};
      owned_by(owners, [&] {
        expect(call.request.stream.tag == DLCERT_ABSENT,
               "stream for device type {}: expected it to be omitted but found {}", device.type,
               to_text(call.request.stream));
      });
    }
  }
  if (producer.exports() == 0) c.declined("not imported");
}

}  // namespace
}  // namespace dlcert::stream
