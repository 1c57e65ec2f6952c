// SPDX-License-Identifier: Apache-2.0
//
// Which stream a consumer names to the producer.

#include <fmt/format.h>

#include "stream/families.hpp"
#include "testbench/delivery.hpp"
#include "testbench/handover.hpp"

namespace dlcert::stream {
namespace {

bool names_nothing(const dlcert_value& stream) {
  return stream.tag == DLCERT_ABSENT || stream.tag == DLCERT_NONE;
}

bool is_number(const dlcert_value& stream, std::int64_t number) {
  return stream.tag == DLCERT_INT && stream.first == number;
}

// The consumer's current stream is `queue`; what it then named.
const dlcert_value& named_on(Delivery& delivery, const Queue& queue) {
  delivery.order_nothing();
  delivery.import_on(queue, [] {});
  return delivery.named();
}

// ---- the stream on which the data is used ----

void data_is_read_in_order(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  Delivery delivery{c, stage, queue.device};
  delivery.import_on(queue, [&] {
    if (delivery.accepted()) delivery.expect_readable();
  });
  delivery.expect_accepted();
}

void current_stream_is_named(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  if (stage.rocm() && queue.kind == Kind::per_thread) throw Discard{};  // it has no number
  Delivery delivery{c, stage, queue.device};
  const dlcert_value stream = named_on(delivery, queue);
  if (is_number(stream, -1)) return c.observe("named -1");
  if (is_number(stream, number_of(stage, queue))) return;
  // A handle of the consumer's own, where it copies: whether that is in order is seen by reading.
  if (stream.tag == DLCERT_INT && stream.first > 2) return c.observe("named another stream");
  expect(queue.kind == Kind::legacy && names_nothing(stream),
         "stream of the consumer: expected {} but found {}", number_of(stage, queue),
         to_text(stream));
}

// ---- values ----

void no_value_below_minus_one(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  Delivery delivery{c, stage, queue.device};
  const dlcert_value stream = named_on(delivery, queue);
  expect(stream.tag != DLCERT_INT || stream.first >= -1,
         "stream of the consumer: expected -1 or more but found {}", to_text(stream));
}

void zero_is_never_named(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  Delivery delivery{c, stage, queue.device};
  const dlcert_value stream = named_on(delivery, queue);
  expect(!is_number(stream, 0), "stream of the consumer: found 0, which CUDA does not have");
}

void one_and_two_are_never_named(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  Delivery delivery{c, stage, queue.device};
  const dlcert_value stream = named_on(delivery, queue);
  expect(!is_number(stream, 1) && !is_number(stream, 2),
         "stream of the consumer: found {}, which ROCm does not have", to_text(stream));
}

void default_stream_is_named_explicitly(Case& c) {
  Stage stage{c};
  const Queue queue = stage.queue(stage.draw_device(), Kind::legacy);
  Delivery delivery{c, stage, queue.device};
  const dlcert_value stream = named_on(delivery, queue);
  expect(is_number(stream, number_of(stage, queue)),
         "stream of a consumer on its default stream: expected {} but found {}",
         number_of(stage, queue), to_text(stream));
}

void host_target_is_asked_without_a_stream(Case& c) {
  Stage stage{c};
  const Queue queue = stage.draw_queue(stage.draw_device());
  Delivery delivery{c, stage, queue.device};
  delivery.want_host_copy();
  const dlcert_value stream = named_on(delivery, queue);
  if (!delivery.asked_for_host()) throw NotClaimed{"asking a producer for host memory"};
  expect(names_nothing(stream), "stream for data in host memory: expected none but found {}",
         to_text(stream));
}

void stream_for_shared_memory_is_recorded(Case& c) {
  Stage stage{c};
  const bool managed = !stage.rocm() && c.draw.flip();
  Delivery delivery{c, stage, managed ? driver::MemoryKind::managed : driver::MemoryKind::pinned};
  const dlcert_value stream = named_on(delivery, stage.draw_queue(0));
  c.observe(names_nothing(stream) ? "no stream" : "a stream");
  expect(names_nothing(stream) || c.settings.policy("stream-managed") == "record",
         "policy stream-managed=none: expected no stream but found {}", to_text(stream));
}

// ---- torch ----

void sources_device_decides(Case& c) {
  Stage stage{c};
  if (stage.devices() < 2) throw NotClaimed{"a second device"};
  const int device = stage.draw_device();
  const int other = device == 0 ? 1 : 0;
  const Queue here = stage.queue(other, Kind::non_blocking);
  const Queue there = stage.queue(device, Kind::non_blocking);
  Delivery delivery{c, stage, device};
  dlcert_value stream{};
  const auto import = [&] { stream = named_on(delivery, there); };
  stage.on(other, [&] {
    require(c.consumer.run_with_stream(stage.device(other), static_cast<std::uint64_t>(here.native),
                                       import),
            "run_with_stream");
  });
  expect(is_number(stream, number_of(stage, there)),
         "stream of the consumer: expected {}, current on the source's device, but found {}",
         number_of(stage, there), to_text(stream));
}

void no_stream_for_other_devices(Case& c) {
  constexpr std::array<std::int32_t, 5> types{1, 3, 11, 13, 14};
  const dlcert_device device{c.draw.one_of(types), 0};
  Descriptor descriptor = describe_spec(compact_spec({2, 32, 1}, {2}), Form::versioned);
  descriptor.device = device;
  descriptor.data = device.type == 1 ? Descriptor::Data::storage : Descriptor::Data::unmapped;
  Offer offer{descriptor, Bytes(8)};
  SpyProducer producer{device, &offer, c.consumer, false};
  {
    const auto imported = c.consumer.import_from(producer.c(), import_request());
    for (const SpyProducer::Call& call : producer.calls())
      expect(call.device || call.request.stream.tag == DLCERT_ABSENT,
             "stream for device type {}: expected it to be omitted but found {}", device.type,
             to_text(call.request.stream));
  }
  if (producer.exports() == 0) c.observe("not imported");
}

}  // namespace

void register_consumer_checks(Suite& suite) {
  add_for_both(suite, consumer_check("stream.consumer-passes",
                                     "data is read behind the work that the producer ordered",
                                     data_is_read_in_order));
  add_for_both(suite, consumer_check("stream.consumer-passes",
                                     "the consumer names the stream on which it uses the data",
                                     current_stream_is_named));
  add_for_both(suite, consumer_check("stream.range", "the consumer names no value below -1",
                                     no_value_below_minus_one));
  add_for_cuda(suite, consumer_check("stream.cuda.zero-never-sent", "the consumer never names 0",
                                     zero_is_never_named));
  add_for_rocm(suite,
               consumer_check("stream.rocm.one-two-never-sent", "the consumer never names 1 or 2",
                              one_and_two_are_never_named));
  add_for_both(suite, consumer_check("stream.explicit-default-preferred",
                                     "a consumer on its default stream names it",
                                     default_stream_is_named_explicitly));
  add_for_both(suite, consumer_check("stream.dldevice-valid",
                                     "data in host memory is asked for without a stream",
                                     host_target_is_asked_without_a_stream));
  add_for_both(suite, consumer_check("stream.managed.unspecified",
                                     "what is named for pinned and managed memory is recorded",
                                     stream_for_shared_memory_is_recorded));
  add_for_both(suite, consumer_check("stream.torch.current-stream-of-source",
                                     "the current stream of the source's device is named",
                                     sources_device_decides));
  add_for_both(suite, consumer_check("stream.torch.default-mapped-to-one",
                                     "the null stream is named 1, or 0 where that is the default",
                                     default_stream_is_named_explicitly));
  suite.add({.requirement = "stream.torch.no-stream-otherwise",
             .sentence = "for other device types the stream is omitted",
             .role = Role::consumer,
             .needs = Needs{} | Can::import_from,
             .body = no_stream_for_other_devices});
}

}  // namespace dlcert::stream
