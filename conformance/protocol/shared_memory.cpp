// SPDX-License-Identifier: Apache-2.0
//
// The protocol on pinned and managed memory, and where devices are hidden: what is reported of it,
// and how it reaches the host.
#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/hidden_devices.hpp"
#include "testbench/reported_device.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(shared_memory)

namespace {

using driver::MemoryKind;
using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::HiddenDevices;
using testbench::in_own_process;
using testbench::producing;

MemoryKind draw_shared_kind(Case& c, const DeviceSession& session) {
  return !session.rocm() && c.draw.flip() ? MemoryKind::managed : MemoryKind::pinned;
}

driver::PointerAttributes attributes_of(const DeviceSession& session, const Managed& managed) {
  driver::PointerAttributes found;
  testbench::expect_done(session.driver(),
                         session.driver().attributes(managed.first_element(), found), "attributes");
  return found;
}

bool is_pinned(dlcert_device device) {
  return device.type == kDLCUDAHost || device.type == kDLROCMHost;
}

// ---- the device that is reported ----------------------------------------------------------------

DLCERT_CHECK(
    shared_memory_is_exported_as_it_is_reported,
    on_both_vendors(producer_check("protocol.device.matches-export",
                                   "pinned and managed memory is exported as it is reported, and "
                                   "reported as what it is",
                                   producing | Can::dlpack_device))) {
  DeviceSession session{c};
  const dlcert_device own = session.device_of(draw_shared_kind(c, session), 0);
  const DeviceSource device_source = testbench::make_device_source(c, session, own);
  const auto reported = testbench::reported_device(c.producer, device_source.source.tensor);
  const Exported exported = export_or_skip(c, device_source.source.tensor,
                                           testbench::request_on(c.draw, none()), "export");
  const MemoryKind found = attributes_of(session, exported.managed()).kind;
  expect(!is_pinned(reported) || found == MemoryKind::pinned,
         "memory that dlpack_device reports under code {}: expected pinned memory but found other "
         "memory",
         reported.type);
  expect(reported.type != kDLCUDAManaged || found == MemoryKind::managed,
         "memory that dlpack_device reports under code 13: expected managed memory but found other "
         "memory");
  const dlcert_device exported_on = device_of(exported.managed());
  const bool as_host = is_pinned(reported) && exported_on == cpu;
  if (as_host && c.settings.policy("pinned-device-report") == "host") return;
  owned_by("abi.device.host-memory-tagging",
           [&] { testbench::expect_named_device("device of the export", reported, exported_on); });
}

DLCERT_CHECK(reported_ordinal_is_that_of_the_process,
             on_both_vendors(in_own_process(
                 producer_check("protocol.device.matches-export",
                                "where devices are hidden, the reported device is that of the "
                                "export and of the process",
                                producing | Can::dlpack_device)))) {
  const HiddenDevices hidden{c};
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const DeviceSource device_source = testbench::make_device_source(c, session, device);
  const auto reported = testbench::reported_device(c.producer, device_source.source.tensor);
  expect_equal("device that is reported", device, reported);
  const Exported exported = export_or_skip(c, device_source.source.tensor,
                                           testbench::request_on(c.draw, none()), "export");
  testbench::expect_named_device("device of the export", reported, device_of(exported.managed()));
}

// ---- to the host --------------------------------------------------------------------------------

DLCERT_CHECK(shared_memory_for_the_host_holds_the_values,
             if_touched(on_both_vendors(producer_check(
                 "protocol.dldevice.cpu-offered",
                 "an export of pinned or managed memory to the CPU holds its values where the host "
                 "reads them",
                 producing)))) {
  DeviceSession session{c};
  const dlcert_device own = session.device_of(draw_shared_kind(c, session), 0);
  const DeviceSource device_source = testbench::make_device_source(c, session, own);
  dlcert_request asked = with_device(draw_request(c.draw), cpu);
  if (c.draw.flip()) asked = with_copy(asked, true);
  auto outcome = export_tensor(c, device_source.source.tensor, asked);
  if (!outcome.ok()) return c.declined("refused");
  c.touched();
  const Exported exported = std::move(outcome).value();
  expect_cpu_request_satisfied(c, exported.managed());
  expect(attributes_of(session, exported.managed()).kind != MemoryKind::device,
         "memory of an export to the CPU: expected memory that the host reads but found memory of "
         "a device");
  expect_gathered(exported.managed(), device_source.source.logical);
  const std::byte* const first = exported.managed().first_element();
  const bool elsewhere = first < device_source.range.begin ||
                         first >= device_source.range.begin + device_source.range.size;
  c.minor([&] {
    expect_field(exported.managed(),
                 !elsewhere || !testbench::copy_needs_flag(c.producer, exported.managed()) ||
                     says_copied(exported.managed()),
                 "exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED",
                 "flags of a copy: expected the copied bit but found it clear");
  });
  expect(asked.copy.tag != DLCERT_BOOL || elsewhere,
         "data of the copy: expected fresh memory but found the source's own");
}

}  // namespace
}  // namespace dlcert::protocol
