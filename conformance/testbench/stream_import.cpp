// SPDX-License-Identifier: Apache-2.0
#include "testbench/stream_import.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>

#include <dlcert/suite/evidence.hpp>

#include "generators/device_specs.hpp"
#include "generators/specs.hpp"
#include "testbench/device_steps.hpp"
#include "testbench/imports.hpp"

namespace dlcert::testbench {

namespace {

constexpr std::uint8_t mark = 0x3d;

}  // namespace

StreamImport::StreamImport(Case& c, DeviceSession& session, int device)
    : StreamImport{c, session, driver::MemoryKind::device, device} {}

StreamImport::StreamImport(Case& c, DeviceSession& session, driver::MemoryKind kind)
    : StreamImport{c, session, kind, 0} {
  order_nothing();
}

StreamImport::StreamImport(Case& c, DeviceSession& session, driver::MemoryKind kind, int device)
    : case_{c},
      session_{session},
      own_{session.stream(device, StreamHandle::Kind::non_blocking)},
      stream_{own_},
      spec_{draw_device_spec(c.draw, c.consumer, session.device_of(kind, device))},
      request_{import_request()} {
  session.make_current(device);
  require_claimed(c.consumer, spec_);
  const std::size_t bytes =
      static_cast<std::size_t>(spec_.storage_size) * logical_item_size(spec_.dtype);
  range_ = session.allocate(kind, device, bytes);
  Descriptor descriptor = describe_spec(spec_, draw_form(c.draw, c.consumer, Route::producer));
  descriptor.data = Descriptor::Data::device;
  descriptor.device_memory = range_.begin;
  offer_ = std::make_unique<Offer>(descriptor, Bytes{});
  producer_ = std::make_unique<SpyProducer>(spec_.device, offer_.get(), c.consumer, false);
  producer_->answer([this](const dlcert_request& request) { return hand_out(request); },
                    SpyProducer::Answers::one_offer);
  tell_noted();
}

// A program's producer notes which stream the consumer names.
void StreamImport::tell_noted() const {
  tell({}, ProgramStep{
               .kind = ProgramStep::Kind::own, .code = "streams_of(Producer)", .name = "named"});
}

// And lets it wait for the producer's own one.
void StreamImport::tell_ordered() const {
  tell({}, ProgramStep{.kind = ProgramStep::Kind::own,
                       .code = fmt::format("Producer.__dlpack__ = ordered(Producer.__dlpack__, {})",
                                           handle_text(own_))});
}

Judgement judged_stream(std::string expected) {
  return {.by = Judgement::By::value, .expected = std::move(expected), .code = "named[-1]"};
}

Judgement judged_stream_condition(std::string condition, std::string_view expected) {
  return {.by = Judgement::By::condition,
          .expected = to_literal(expected),
          .found = "named[-1]",
          .code = std::move(condition)};
}

void StreamImport::reuse_when_released() {
  tell("the producer writes to the memory when the deleter runs");
  offer_->on_deleter([this] { session_.write_later(own_, range_, mark); });
}

void StreamImport::want_host_copy() {
  tell({},
       ProgramStep{.kind = ProgramStep::Kind::missing,
                   .code = "an object that gives a copy in host memory if it is asked for one"});
  request_.device = pair(1, 0);
  TensorSpec host = spec_;
  host.device = {1, 0};
  const Bytes bytes(range_.size, std::byte{mark});
  host_copy_ = make_offer(host, bytes, offer_->descriptor().form);
}

void StreamImport::import_on(const StreamHandle& stream, const std::function<void()>& then) {
  stream_ = adopted(case_.consumer, session_, stream);
  const auto body = [&] {
    import_here();
    then();
  };
  if (orders_) {
    session_.write_later(own_, range_, mark);
    tell_ordered();
  }
  run_within(case_.consumer, session_, stream_, body);
}

void StreamImport::import_here() {
  outcome_.emplace(case_.consumer.import_from(producer_->c(), request_));
}

Offer* StreamImport::hand_out(const dlcert_request& request) {
  named_ = request.stream;
  asked_device_ = request.dl_device;
  if (request.dl_device.tag == DLCERT_PAIR && request.dl_device.first == 1) return host_copy_.get();
  if (orders_)
    if (const auto stream = stream_named(request.stream)) session_.wait_for(own_, *stream);
  return offer_.get();
}

std::optional<StreamHandle> StreamImport::stream_named(const dlcert_value& stream) const {
  if (stream.tag != DLCERT_INT)
    return StreamHandle{own_.device, StreamHandle::Kind::legacy, driver::Stream::null};
  if (stream.first < 0) return std::nullopt;
  if (stream.first == 0 || stream.first == 1)
    return StreamHandle{own_.device, StreamHandle::Kind::legacy, driver::Stream::null};
  const StreamHandle::Kind kind =
      stream.first == 2 ? StreamHandle::Kind::per_thread : StreamHandle::Kind::blocking;
  return StreamHandle{own_.device, kind, driver::Stream{static_cast<std::uintptr_t>(stream.first)}};
}

void StreamImport::expect_accepted() const {
  if (!accepted())
    owned_by("protocol.from.new-array", [&] {
      fail(fmt::format("import of a claimed tensor: expected success but found {}",
                       to_text(error())),
           {.by = Judgement::By::success});
    });
}

const dlcert_value& StreamImport::named() const {
  if (!named_) throw Declined{"the producer is not asked for an export"};
  return *named_;
}

void StreamImport::expect_readable() {
  // The read must have been enqueued before it may run.
  constexpr std::chrono::milliseconds while_it_is_enqueued{20};
  std::optional<std::jthread> opener;
  if (!session_.records_calls())
    opener.emplace([this, while_it_is_enqueued] {
      std::this_thread::sleep_for(while_it_is_enqueued);
      session_.open();
    });
  const Bytes read = read_imported(case_.consumer, tensor(), spec_);
  session_.expect_no_race(judged_answer(Bytes(range_.size, std::byte{mark}), read));
  expect_equal("bytes that the consumer reads", Bytes(range_.size, std::byte{mark}), read);
  note_found(Role::consumer, read);
}

Description described_import(Case& c, DeviceSession& session, dlcert_device device) {
  StreamImport transfer{c, session, device.id};
  transfer.order_nothing();
  transfer.import_on(session.draw_stream(device.id), [] {});
  transfer.expect_accepted();
  return require(c.consumer.describe(transfer.tensor()), "describe");
}

}  // namespace dlcert::testbench
