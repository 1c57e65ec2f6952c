// SPDX-License-Identifier: Apache-2.0
//
// The functions that exchange a tensor leave streams alone: they wait for nothing, make nothing
// wait, and disturb no capture.

#include "exchange_api/devices.hpp"
#include "exchange_api/support.hpp"
#include "generators/device_specs.hpp"
#include "registration.hpp"
#include "testbench/device_source.hpp"
#include "testbench/stream_capture.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(no_sync)

namespace {

using testbench::DeviceSession;
using testbench::StreamHandle;

// A tensor of the library on a device, and what came of its exchange in both directions.
class Exchanged {
 public:
  Exchanged(Case& c, dlcert_device device)
      : party_{c.producer}, table_{c.producer}, source_{make_source(c, draw_spec(c, device))} {
    object_ = object_of(party_, source_.tensor);
  }

  // Work on the tensor itself, where the library has it.
  void write_if_possible(DeviceSession& session) {
    if (!party_.offers(Needs{} | Can::write)) return;
    session.as_write_of(testbench::range_of(party_, source_), [this] {
      require(party_.write(source_.tensor, source_.logical), "write to a tensor");
    });
  }

  // Through the three functions, each of which must succeed.
  void exchange() {
    if (table_.has(table_at::view)) view_of(table_, party_, object_);
    Managed managed = export_of(table_, party_, object_);
    void* made = nullptr;
    if (table_.to_object(managed.raw(), &made) != 0) {
      static_cast<void>(left_error(party_));
      throw Declined{"does not take back what it exported"};
    }
    managed.give_up();
    imported_ = Object{party_, made};
  }

 private:
  static TensorSpec draw_spec(Case& c, dlcert_device device) {
    TensorSpec spec = draw_device_spec(c.draw, c.producer, device);
    require_claimed(c.producer, spec);
    return spec;
  }

  const Party& party_;
  Table table_;
  Source source_;
  Object object_;
  Object imported_;
};

// Who waited for the pending work shows by his calls, or where nobody records them, by its end.
DLCERT_CHECK(
    exchange_synchronizes_nothing,
    on_both_vendors(producer_check("exchange.fn.no-stream-sync",
                                   "exchanging a tensor behind pending work synchronizes nothing",
                                   making | Can::streams))) {
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  session.make_current(device.id);
  Exchanged exchanged{c, device};
  const StreamHandle stream = testbench::adopted(
      c.producer, session, session.stream(device.id, StreamHandle::Kind::non_blocking));
  session.write_later(stream, session.allocate(driver::MemoryKind::device, device.id, 256), 1);
  std::vector<driver::Call> calls;
  const bool writes = c.draw.flip();
  within(c, session, stream, [&] {
    if (writes) exchanged.write_if_possible(session);
    calls = session.calls_of([&] { exchanged.exchange(); });
  });
  const std::string_view ordering = testbench::ordering_call(calls);
  expect(ordering.empty(), "calls of the driver: expected no synchronization but found {}",
         ordering);
  if (!session.records_calls())
    expect(session.has_pending_work(stream),
           "the work that was pending: expected it to go on but it was waited for");
}

DLCERT_CHECK(exchange_leaves_a_capture_intact,
             if_touched(on_both_vendors(producer_check(
                 "stream.graph-capture.no-sync", "a capture survives an exchange on its stream",
                 making | Can::streams)))) {
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  session.make_current(device.id);
  Exchanged exchanged{c, device};
  const StreamHandle stream = testbench::draw_capturable_stream(c, session, device.id);
  bool intact = false;
  within(c, session, stream, [&] {
    const testbench::StreamCapture capture{c, session, stream};
    const auto mode = session.capture_mode();
    exchanged.exchange();
    c.touched();
    intact = capture.intact();
    c.minor([&] { session.expect_capture_mode(mode, "an exchange"); });
  });
  c.observe(intact ? "capture intact" : "capture broken");
  if (c.settings.policy("stream-graph-capture") == "record") return;
  expect(intact, "a capture during an exchange: expected it to go on but it was broken");
}

}  // namespace
}  // namespace dlcert::exchange_api
