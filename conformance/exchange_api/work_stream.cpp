// SPDX-License-Identifier: Apache-2.0
//
// The current work stream that a table tells.

#include "exchange_api/devices.hpp"
#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"
#include "testbench/threads.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(work_stream)

namespace {

using testbench::adopted;
using testbench::DeviceSession;
using testbench::on_new_thread;
using testbench::StreamHandle;
using testbench::touched_if;

// ---- devices that are there ---------------------------------------------------------------------

// The raw handle: 0 is the null stream, which the vendors also call 1.
std::uint64_t named(std::uint64_t stream) {
  return stream == 1 ? 0 : stream;
}

// What is handed over is ready on the stream that is told, be it the current one or one of the
// library's own.
void expect_ready_on(Case& c, DeviceSession& session, const Table& table,
                     const StreamHandle& told) {
  const Source source = make_source(c, draw_spec_on(c, session.device(told.device)));
  const Managed managed = session.on(told.device, [&] {
    return export_of(table, c.producer, object_of(c.producer, source.tensor));
  });
  const testbench::Range elements{const_cast<std::byte*>(managed.first_element()),
                                  source.logical.size()};
  expect_equal("elements that are read on the stream that is told", source.logical,
               session.read_on(told, elements));
  session.expect_no_race();
}

void expect_stream(Case& c, DeviceSession& session, const Table& table, dlcert_device device,
                   std::uint64_t expected) {
  void* stream = poison();
  expect_zero(c.producer, table.work_stream(device, &stream),
              "current_work_stream of a device that is there");
  const auto found = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(stream));
  const bool is_current = named(found) == named(expected);
  if (!is_current) c.observe("another stream than the current one");
  if (is_current && !(c.producer.offers(Needs{} | Can::create) && c.draw.flip())) return;
  expect_ready_on(c, session, table, session.stream_of(device.id, found));
}

std::uint64_t current(const Case& c, dlcert_device device) {
  return require(c.producer.current_stream(device), "the current stream of a device");
}

std::uint64_t handle(const StreamHandle& stream) {
  return static_cast<std::uint64_t>(stream.native);
}

DLCERT_CHECK(told_stream_follows_the_current_one,
             on_both_vendors(producer_check("exchange.stream.current",
                                            "the work stream of a device is its current stream",
                                            publishing | Can::streams))) {
  DeviceSession session{c};
  const dlcert_device device = draw_device(c, session);
  const dlcert_device other = draw_device(c, session);
  const Table table{c.producer};
  const StreamHandle first = adopted(c.producer, session, session.draw_stream(device.id));
  const StreamHandle second = adopted(c.producer, session, session.draw_stream(other.id));
  const std::uint64_t before = current(c, device);
  expect_stream(c, session, table, device, before);
  within(c, session, first, [&] {
    expect_stream(c, session, table, device, handle(first));
    within(c, session, second, [&] {
      expect_stream(c, session, table, other, handle(second));
      expect_stream(c, session, table, device, handle(device == other ? second : first));
    });
    expect_stream(c, session, table, device, handle(first));
    expect_stream(c, session, table, other, current(c, other));
  });
  expect_stream(c, session, table, device, before);
}

// Which threads a current stream is for is not stated.
DLCERT_CHECK(another_thread_is_recorded,
             on_both_vendors(producer_check("exchange.stream.current",
                                            "what the work stream is on another thread is recorded",
                                            publishing | Can::streams))) {
  DeviceSession session{c};
  const dlcert_device device = draw_device(c, session);
  const Table table{c.producer};
  const StreamHandle stream = session.stream(device.id, StreamHandle::Kind::non_blocking);
  current(c, device);  // not formable for a library without a current stream
  within(c, session, stream, [&] {
    void* told = poison();
    int code = 0;
    on_new_thread([&] { code = table.work_stream(device, &told); });
    if (code != 0) return c.observe("another thread is refused");
    const bool shared = reinterpret_cast<std::uintptr_t>(told) == handle(stream);
    c.observe(shared ? "threads share the current stream" : "another thread has another stream");
  });
}

// ---- the CPU, and devices that are not there ----------------------------------------------------

DLCERT_CHECK(cpu_has_the_null_stream,
             if_touched(producer_check("exchange.stream.cpu-null",
                                       "the work stream of the CPU is NULL", publishing, 1))) {
  void* stream = poison();
  if (Table{c.producer}.work_stream({kDLCPU, 0}, &stream) != 0) {
    c.producer.take_object_error();
    return c.declined("refused");
  }
  c.touched();
  expect(stream != poison(), "stream of the CPU after 0: expected NULL but found nothing stored");
  expect_equal("stream of the CPU", no_stream, stream);
}

constexpr dlcert_device missing_devices[] = {{2, 9999}, {10, 9999}, {99, 0}};

DLCERT_CHECK(missing_device_has_no_stream,
             if_touched(on_both_vendors(producer_check(
                 "exchange.stream.invalid-device", "a device that is not there has no work stream",
                 publishing | Can::streams)))) {
  DeviceSession session{c};
  const dlcert_device there = draw_device(c, session);
  const dlcert_device device = c.draw.one_of(missing_devices);
  void* stream = poison();
  const Table table{c.producer};
  const int code = table.work_stream(device, &stream);
  const bool complained = c.producer.take_object_error().has_value();
  c.observe(code == 0 ? "answered" : "refused");
  void* answer = poison();
  touched_if(c, table.work_stream(there, &answer) == 0, "a device that is there is refused too");
  c.producer.take_object_error();
  if (code != 0) {
    expect_equal("code for a device that is not there", -1, code);
    return expect(complained, "error left with -1: expected one but found none");
  }
  expect(c.settings.policy("exchange-invalid-device") != "refuse",
         "policy exchange-invalid-device=refuse: expected -1 but found 0");
  expect_equal("stream of a device that is not there", no_stream, stream);
}

}  // namespace
}  // namespace dlcert::exchange_api
