// SPDX-License-Identifier: Apache-2.0
//
// An export of device memory is a view of it.
#include "registration.hpp"
#include "sharing/support.hpp"
#include "testbench/device_session.hpp"
#include "testbench/judged_exports.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(device_memory)

namespace {

using testbench::DeviceSession;
using testbench::producing;
using testbench::StreamExport;

// Whether this layout is one that has to be shared; others are recorded.
bool must_share(const Case& c, const StreamExport& transfer) {
  return transfer.spec().contiguous() || c.settings.policy("zero-copy-scope") == "strided";
}

bool is_at_the_source(StreamExport& transfer) {
  return transfer.exported_range().begin == transfer.range().begin &&
         transfer.exported_range().size == transfer.range().size;
}

DLCERT_CHECK(device_export_is_at_the_sources_address,
             if_touched(on_both_vendors(producer_check(
                 "sharing.zero-copy-when-possible",
                 "an export of device memory begins at the source's first element", producing)))) {
  DeviceSession session{c};
  StreamExport transfer{c, session, session.draw_stream(session.draw_device())};
  transfer.run_idle(testbench::request_on(c.draw, none()));
  if (!transfer.accepted()) throw NotClaimed{"export of device memory"};
  const bool shares = is_at_the_source(transfer);
  if (!must_share(c, transfer)) return c.observe(shares ? "strided: shared" : "strided: copied");
  c.touched();
  const auto judged = [&] {
    return testbench::judged_sharing(transfer.tensor(), transfer.exported().managed(), true);
  };
  seen_by(judged, [&] {
    expect_equal("address of the elements", transfer.range().begin,
                 transfer.exported_range().begin);
  });
  owned_by("abi.strides.in-bounds", [&] {
    expect(shares, "size of the elements: expected {} bytes but found {}", transfer.range().size,
           transfer.exported_range().size);
  });
  const Managed& managed = transfer.exported().managed();
  expect_field(managed, !says_copied(managed), "!(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED)",
               "flags of a view: expected no copied bit but found it set");
}

DLCERT_CHECK(writes_on_a_device_pass_through_the_export,
             on_both_vendors(producer_check("sharing.mutation-visible",
                                            "writes on a device pass through the export",
                                            producing))) {
  DeviceSession session{c};
  const testbench::StreamHandle stream = session.draw_stream(session.draw_device());
  StreamExport transfer{c, session, stream};
  transfer.run_idle(testbench::request_on(c.draw, integer(-1)));
  if (!transfer.accepted()) throw NotClaimed{"stream -1"};
  if (!is_at_the_source(transfer)) throw NotClaimed{"memory that is shared"};
  const testbench::Range shared = transfer.exported_range();
  session.write_later(stream, shared, StreamExport::mark);
  expect_equal("bytes of the source after a write to the export", StreamExport::marked(shared.size),
               session.read_on(stream, transfer.range()));
  transfer.tensor().release();
  expect_equal("bytes of the export without its source", StreamExport::marked(shared.size),
               session.read_on(stream, shared));
  session.expect_no_race();
}

}  // namespace
}  // namespace dlcert::sharing
