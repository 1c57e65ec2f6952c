// SPDX-License-Identifier: Apache-2.0
//
// The current work stream that a table tells.

#include "exchange_api/devices.hpp"
#include "exchange_api/families.hpp"
#include "exchange_api/support.hpp"
#include "testbench/platforms.hpp"
#include "testbench/threads.hpp"

namespace dlcert::exchange_api {
namespace {

using testbench::add_for_both;
using testbench::DeviceSession;
using testbench::on_new_thread;
using testbench::StreamHandle;

// ---- devices that are there ---------------------------------------------------------------------

// The raw handle: 0 is the null stream, which the vendors also call 1.
std::uint64_t named(std::uint64_t stream) {
  return stream == 1 ? 0 : stream;
}

void expect_stream(Case& c, const Table& table, dlcert_device device, std::uint64_t expected) {
  void* stream = poison();
  expect_zero(c.producer, table.work_stream(device, &stream),
              "current_work_stream of a device that is there");
  const auto found = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(stream));
  if (named(found) == named(expected)) return;
  fail_equal(fmt::format("current work stream of {}", to_text(device)),
             fmt::format("{:#x}", expected), fmt::format("{:#x}", found));
}

std::uint64_t current(const Case& c, dlcert_device device) {
  return require(c.producer.current_stream(device), "the current stream of a device");
}

std::uint64_t handle(const StreamHandle& stream) {
  return static_cast<std::uint64_t>(stream.native);
}

void told_stream_follows_the_current_one(Case& c) {
  DeviceSession session{c};
  const dlcert_device device = draw_device(c, session);
  const dlcert_device other = draw_device(c, session);
  const Table table{c.producer};
  const StreamHandle first = session.draw_stream(device.id);
  const StreamHandle second = session.draw_stream(other.id);
  const std::uint64_t before = current(c, device);
  expect_stream(c, table, device, before);
  within(c, session, first, [&] {
    expect_stream(c, table, device, handle(first));
    within(c, session, second, [&] {
      expect_stream(c, table, other, handle(second));
      expect_stream(c, table, device, handle(device == other ? second : first));
    });
    expect_stream(c, table, device, handle(first));
    expect_stream(c, table, other, current(c, other));
  });
  expect_stream(c, table, device, before);
}

// Which threads a current stream is for is not stated.
void another_thread_is_recorded(Case& c) {
  DeviceSession session{c};
  const dlcert_device device = draw_device(c, session);
  const Table table{c.producer};
  const StreamHandle stream = session.stream(device.id, StreamHandle::Kind::non_blocking);
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

void cpu_has_the_null_stream(Case& c) {
  void* stream = poison();
  if (Table{c.producer}.work_stream({kDLCPU, 0}, &stream) != 0) {
    c.producer.take_object_error();
    return c.observe("refused");
  }
  expect(stream != poison(), "stream of the CPU after 0: expected NULL but found nothing stored");
  expect_equal("stream of the CPU", no_stream, stream);
}

constexpr dlcert_device missing_devices[] = {{2, 9999}, {10, 9999}, {99, 0}};

void missing_device_has_no_stream(Case& c) {
  DeviceSession session{c};
  draw_device(c, session);  // a library without devices may always answer NULL
  const dlcert_device device = c.draw.one_of(missing_devices);
  void* stream = poison();
  const int code = Table{c.producer}.work_stream(device, &stream);
  const bool complained = c.producer.take_object_error().has_value();
  c.observe(code == 0 ? "answered" : "refused");
  if (code != 0) {
    expect_equal("code for a device that is not there", -1, code);
    return expect(complained, "error left with -1: expected one but found none");
  }
  expect(c.settings.policy("exchange-invalid-device") != "refuse",
         "policy exchange-invalid-device=refuse: expected -1 but found 0");
  expect_equal("stream of a device that is not there", no_stream, stream);
}

void add(Suite& suite, std::string_view requirement, std::string_view sentence,
         void (*body)(Case&)) {
  add_for_both(suite, {.requirement = requirement,
                       .sentence = sentence,
                       .role = Role::producer,
                       .needs = publishing | Can::streams,
                       .body = body});
}

}  // namespace

void register_stream_checks(Suite& suite) {
  add(suite, "exchange.stream.current", "the work stream of a device is its current stream",
      told_stream_follows_the_current_one);
  add(suite, "exchange.stream.current", "what the work stream is on another thread is recorded",
      another_thread_is_recorded);
  suite.add({.requirement = "exchange.stream.cpu-null",
             .sentence = "the work stream of the CPU is NULL",
             .role = Role::producer,
             .needs = publishing,
             .rows = 1,
             .body = cpu_has_the_null_stream});
  add(suite, "exchange.stream.invalid-device", "a device that is not there has no work stream",
      missing_device_has_no_stream);
}

}  // namespace dlcert::exchange_api
