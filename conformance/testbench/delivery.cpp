// SPDX-License-Identifier: Apache-2.0
#include "testbench/delivery.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "generators/exports.hpp"
#include "generators/specs.hpp"

namespace dlcert::stream {

namespace {

constexpr std::uint8_t mark = 0x3d;

TensorSpec draw_spec_on(Draw& draw, dlcert_device device) {
  TensorSpec spec = compact_spec(float32, {draw.between(1, 4), draw.between(1, 4)});
  spec.device = device;
  return spec;
}

}  // namespace

Delivery::Delivery(Case& c, Stage& stage, int device)
    : Delivery{c, stage, driver::MemoryKind::device, device} {}

Delivery::Delivery(Case& c, Stage& stage, driver::MemoryKind kind) : Delivery{c, stage, kind, 0} {
  order_nothing();
}

Delivery::Delivery(Case& c, Stage& stage, driver::MemoryKind kind, int device)
    : case_{c},
      stage_{stage},
      own_{stage.queue(device, Kind::non_blocking)},
      spec_{draw_spec_on(c.draw, stage.device_of(kind, device))},
      request_{import_request()} {
  require_claimed(c.consumer, spec_);
  const auto bytes = static_cast<std::size_t>(spec_.storage_size) * sizeof(float);
  range_ = stage.allocate(kind, device, bytes);
  Descriptor descriptor = describe_spec(spec_, draw_form(c.draw, c.consumer, Route::producer));
  descriptor.data = Descriptor::Data::device;
  descriptor.device_memory = range_.begin;
  offer_ = std::make_unique<Offer>(descriptor, Bytes{});
  producer_ = std::make_unique<SpyProducer>(spec_.device, offer_.get(), c.consumer, false);
  producer_->answer([this](const dlcert_request& request) { return hand_out(request); });
}

void Delivery::reuse_when_released() {
  offer_->on_deleter([this] { stage_.write_later(own_, range_, mark); });
}

void Delivery::want_host_copy() {
  request_.device = pair(1, 0);
  TensorSpec host = spec_;
  host.device = {1, 0};
  const Bytes bytes(range_.size, std::byte{mark});
  host_copy_ = make_offer(host, bytes, offer_->descriptor().form);
}

void Delivery::import_on(const Queue& queue, const std::function<void()>& then) {
  const auto body = [&] {
    outcome_.emplace(case_.consumer.import_from(producer_->c(), request_));
    then();
  };
  if (orders_) stage_.write_later(own_, range_, mark);
  run_within(case_.consumer, stage_, queue, body);
}

Offer* Delivery::hand_out(const dlcert_request& request) {
  named_ = request.stream;
  asked_device_ = request.dl_device;
  if (request.dl_device.tag == DLCERT_PAIR && request.dl_device.first == 1) return host_copy_.get();
  if (orders_)
    if (const auto queue = queue_named(request.stream)) stage_.wait_for(own_, *queue);
  return offer_.get();
}

std::optional<Queue> Delivery::queue_named(const dlcert_value& stream) const {
  if (stream.tag != DLCERT_INT) return Queue{own_.device, Kind::legacy, driver::Stream::null};
  if (stream.first < 0) return std::nullopt;
  if (stream.first == 0 || stream.first == 1)
    return Queue{own_.device, Kind::legacy, driver::Stream::null};
  const Kind kind = stream.first == 2 ? Kind::per_thread : Kind::blocking;
  return Queue{own_.device, kind, driver::Stream{static_cast<std::uintptr_t>(stream.first)}};
}

void Delivery::expect_accepted() const {
  if (!accepted())
    fail(
        fmt::format("import of a claimed tensor: expected success but found {}", to_text(error())));
}

const dlcert_value& Delivery::named() const {
  if (!named_) throw NotClaimed{"import from an object on this device"};
  return *named_;
}

void Delivery::expect_readable() {
  // The read must have been enqueued before it may run.
  constexpr std::chrono::milliseconds while_it_is_enqueued{20};
  std::optional<std::jthread> opener;
  if (!stage_.records_calls())
    opener.emplace([this, while_it_is_enqueued] {
      std::this_thread::sleep_for(while_it_is_enqueued);
      stage_.open();
    });
  const Bytes read = read_imported(case_.consumer, tensor(), spec_);
  stage_.expect_no_race();
  expect_equal("bytes that the consumer reads", Bytes(range_.size, std::byte{mark}), read);
}

Description described_import(Case& c, Stage& stage, dlcert_device device) {
  Delivery delivery{c, stage, device.id};
  delivery.order_nothing();
  delivery.import_on(stage.draw_queue(device.id), [] {});
  delivery.expect_accepted();
  return require(c.consumer.describe(delivery.tensor()), "describe");
}

Check consumer_check(std::string_view requirement, std::string_view sentence, void (*body)(Case&)) {
  return {.requirement = requirement,
          .sentence = sentence,
          .role = Role::consumer,
          .needs = consuming,
          .body = body};
}

}  // namespace dlcert::stream
