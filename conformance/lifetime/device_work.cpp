// SPDX-License-Identifier: Apache-2.0
//
// Device work that is pending when a tensor is released.
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(device_work)

namespace {

using testbench::consuming;
using testbench::DeviceSession;
using testbench::StreamHandle;
using testbench::StreamImport;

// The producer uses the memory again as soon as the deleter runs, as an allocator does.
DLCERT_CHECK(deleter_follows_the_consumers_work,
             if_touched(on_both_vendors(
                 consumer_check("lifetime.device-work-before-delete",
                                "the deleter follows the work that the consumer enqueued",
                                consuming | Can::write)))) {
  DeviceSession session{c};
  if (!session.records_calls()) throw NotClaimed{"a driver that records accesses"};
  const int device = session.draw_device();
  StreamImport transfer{c, session, device};
  transfer.order_nothing();
  transfer.reuse_when_released();
  const StreamHandle stream = session.stream(device, StreamHandle::Kind::non_blocking);
  bool unfinished = false;
  transfer.import_on(stream, [&] {
    if (!transfer.accepted()) return;
    for (int left = c.draw.flip() ? 2 : 1; left > 0; --left)
      session.as_write_of(transfer.range(), [&] {
        owned_by("sharing.read-only-propagated", [&] {
          require(c.consumer.write(transfer.tensor(), transfer.some_logical()),
                  "write to an imported tensor");
        });
      });
    unfinished = session.has_unfinished_write(transfer.stream(), transfer.range());
    transfer.release();
  });
  if (!transfer.was_released()) throw NotClaimed{"import of device memory that it then releases"};
  if (unfinished)
    c.touched();
  else
    c.declined("its write is over when it returns");
  if (c.settings.policy("release-ordering") == "ordered") return session.expect_no_race();
  c.observe(session.has_race() ? "reuse not ordered" : "reuse ordered");
}

}  // namespace
}  // namespace dlcert::lifetime
