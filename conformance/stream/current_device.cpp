// SPDX-License-Identifier: Apache-2.0
//
// The current device of a thread behind what a library does there for another device.
#include <array>
#include <functional>
#include <optional>
#include <string_view>

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/device_source.hpp"
#include "testbench/errors.hpp"
#include "testbench/exports.hpp"
#include "testbench/reported_device.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"
#include "testbench/threads.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(current_device)

namespace {

using testbench::consuming;
using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::export_in_either_form;
using testbench::Exported;
using testbench::on_new_thread;
using testbench::producing;
using testbench::StreamImport;

// Runs `act`, which is about `device`, while another device is current: on this thread or on one
// that the library has never seen.
void expect_kept(Case& c, const DeviceSession& session, int device, std::string_view what,
                 const std::function<void()>& act) {
  const int devices = session.devices();
  const int current =
      (device + 1 + static_cast<int>(c.draw.below(static_cast<std::uint64_t>(devices) - 1))) %
      devices;
  const auto on_other_device = [&] {
    session.on(current, [&] {
      const std::int32_t type = session.device(device).type;
      const auto own = require(c.subject().current_device(type), "current_device");
      act();
      expect_equal(fmt::format("current device behind {}", what), current,
                   session.asked_current_device());
      expect_equal(fmt::format("current device of the library behind {}", what), own,
                   require(c.subject().current_device(type), "current_device"));
    });
  };
  if (c.draw.rarely(3))
    on_new_thread(on_other_device);
  else
    on_other_device();
}

int draw_device_of_several(const DeviceSession& session) {
  if (session.devices() < 2) throw NotClaimed{"a second device"};
  return session.draw_device();
}

DeviceSource draw_resident(Case& c, DeviceSession& session, int device) {
  return testbench::make_device_source(c, session, session.device(device));
}

// ---- producers ----------------------------------------------------------------------------------

// What an export can ask for; some libraries refuse some of it, and the last three are no requests.
dlcert_request draw_asked(Case& c, DeviceSession& session, int device) {
  constexpr std::int64_t no_stream = -7;
  dlcert_request asked = testbench::request_on(c.draw, none());
  switch (c.draw.below(8)) {
    case 0:
      break;
    case 1:
      asked.stream = integer(-1);
      break;
    case 2:
      asked.stream = integer(testbench::number_of(session, session.draw_stream(device)));
      break;
    case 3:
      asked.dl_device = pair(kDLCPU, 0);
      break;
    case 4:
      asked.copy = boolean(true);
      break;
    case 5:
      asked.stream = integer(no_stream);
      break;
    case 6:
      asked.dl_device = pair(session.device(device).type, session.devices());
      break;
    default:
      asked.dl_device = pair(kDLCPU, 0);
      asked.copy = boolean(false);
  }
  return asked;
}

DLCERT_CHECK(export_keeps_the_current_device,
             if_touched(on_both_vendors(
                 producer_check("stream.current-device-kept",
                                "an export of a device's memory, or its refusal, keeps "
                                "another device current",
                                producing)))) {
  DeviceSession session{c};
  const int device = draw_device_of_several(session);
  const DeviceSource device_source = draw_resident(c, session, device);
  const dlcert_request asked = draw_asked(c, session, device);
  std::optional<Outcome<Exported>> outcome;  // its deleter is the matter of another check
  expect_kept(c, session, device, "an export", [&] {
    outcome.emplace(export_in_either_form(c, device_source.source.tensor, asked));
  });
  testbench::touched_if(c, outcome->ok(), "refused");
}

DLCERT_CHECK(
    question_keeps_the_current_device,
    if_touched(on_both_vendors(producer_check("stream.current-device-kept",
                                              "asking for a tensor's device keeps another device "
                                              "current",
                                              producing | Can::dlpack_device)))) {
  DeviceSession session{c};
  const int device = draw_device_of_several(session);
  const DeviceSource device_source = draw_resident(c, session, device);
  expect_kept(c, session, device, "dlpack_device",
              [&] { testbench::reported_device(c.producer, device_source.source.tensor); });
  const dlcert_request asked = testbench::request_on(c.draw, none());
  testbench::touched_if(c, export_in_either_form(c, device_source.source.tensor, asked).ok(),
                        "an export of the tensor is refused");
}

// The last reference to the memory or not, with work of the library pending or not.
DLCERT_CHECK(deleter_keeps_the_current_device,
             on_both_vendors(producer_check("stream.current-device-kept",
                                            "a deleter keeps another device current", producing))) {
  DeviceSession session{c};
  const int device = draw_device_of_several(session);
  DeviceSource device_source = draw_resident(c, session, device);
  std::optional<Outcome<Exported>> outcome;
  session.on(device, [&] {
    const dlcert_request asked = testbench::request_on(c.draw, none());
    outcome.emplace(export_in_either_form(c, device_source.source.tensor, asked));
    if (c.producer.offers(Needs{} | Can::write) && c.draw.flip())
      require(c.producer.write(device_source.source.tensor, device_source.source.logical), "write");
  });
  if (!outcome->ok()) throw NotClaimed{"export of device memory"};
  if (c.draw.flip()) device_source.source.tensor.release();
  expect_kept(c, session, device, "a deleter", [&] { outcome.reset(); });
}

// ---- consumers ----------------------------------------------------------------------------------

DLCERT_CHECK(import_keeps_the_current_device,
             if_touched(on_both_vendors(
                 consumer_check("stream.current-device-kept",
                                "an import of a device's memory, or its refusal, keeps "
                                "another device current",
                                consuming)))) {
  DeviceSession session{c};
  const int device = draw_device_of_several(session);
  StreamImport transfer{c, session, device};
  transfer.order_nothing();
  if (c.draw.rarely(3)) transfer.want_host_copy();
  expect_kept(c, session, device, "an import", [&] { transfer.import_here(); });
  testbench::touched_if(c, transfer.accepted(), "refused");
}

DLCERT_CHECK(release_of_an_import_keeps_the_current_device,
             on_both_vendors(consumer_check(
                 "stream.current-device-kept",
                 "the release of an imported tensor keeps another device current", consuming))) {
  DeviceSession session{c};
  const int device = draw_device_of_several(session);
  StreamImport transfer{c, session, device};
  transfer.order_nothing();
  session.on(device, [&] {
    transfer.import_here();
    if (!transfer.accepted()) throw NotClaimed{"import of device memory"};
    if (c.consumer.offers(Needs{} | Can::write) && c.draw.flip())
      owned_by("sharing.read-only-propagated", [&] {
        require(c.consumer.write(transfer.tensor(), transfer.some_logical()), "write");
      });
  });
  expect_kept(c, session, device, "the release of an import", [&] { transfer.release(); });
}

}  // namespace
}  // namespace dlcert::stream
