// SPDX-License-Identifier: Apache-2.0
//
// The index of a device where variables hide devices and number the others anew: as this process
// sees them, whatever the machine calls them.
#include "testbench/hidden_devices.hpp"

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/exports.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(hidden_devices)

namespace {

using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::export_or_skip;
using testbench::Exported;
using testbench::HiddenDevices;
using testbench::in_own_process;
using testbench::producing;

// Asks for nothing, or for the device by the name that this process has for it.
dlcert_request draw_request_of(Case& c, dlcert_device device) {
  dlcert_request asked = testbench::request_on(c.draw, none());
  if (c.draw.flip()) asked.dl_device = pair(device.type, device.id);
  return asked;
}

DLCERT_CHECK(export_has_the_ordinal_of_the_process,
             on_both_vendors(in_own_process(producer_check(
                 "abi.device.codes-base",
                 "where devices are hidden, memory is exported under the number of its device",
                 producing)))) {
  const HiddenDevices hidden{c};
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const DeviceSource device_source = testbench::make_device_source(c, session, device);
  const Exported exported = export_or_skip(c, device_source.source.tensor,
                                           draw_request_of(c, device), "export of this memory");
  testbench::expect_device(exported.managed(), device);
  testbench::expect_own_number(session, device_source, exported.managed());
}

}  // namespace
}  // namespace dlcert::abi
