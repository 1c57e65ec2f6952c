// SPDX-License-Identifier: Apache-2.0
//
// Tensors of the producer on a device, before anything is done with them.
#pragma once

#include <memory>
#include <optional>

#include <dlcert/suite/check.hpp>

#include "testbench/device_session.hpp"
#include "testbench/exports.hpp"

namespace dlcert::testbench {

// Memory of the harness that a library has imported.
struct ForeignMemory;

// A tensor on which nothing is pending.
struct DeviceSource {
  struct Free {
    void operator()(ForeignMemory* memory) const;
  };

  std::unique_ptr<ForeignMemory, Free> foreign;  // under an imported tensor
  Source source;
  Range range;  // from the lowest to the highest element
};

// An export names the device of its memory by the library's own number, whatever the driver's is:
// by that of the source's device if, and only if, both lie on one device. Nothing is asserted if
// the source does not lie on a device.
void expect_own_number(const DeviceSession& session, const DeviceSource& source,
                       const Managed& exported);

// Each function that makes a tensor makes its device the current one (DeviceSession::make_current).
// Pinned and managed memory has no device: any device stays current.

// A tensor that the producer made on `device` (draw_device_spec), maybe a view and inside a larger
// storage. Not claimed unless the producer tells its address.
DeviceSource make_device_source(Case& c, DeviceSession& session, dlcert_device device);
// A read-only one, where the producer has such tensors.
std::optional<DeviceSource> make_read_only_source(Case& c, DeviceSession& session,
                                                  dlcert_device device);
// A compact one that it has imported. Nothing where it imports nothing from objects, or not this.
std::optional<DeviceSource> import_device_source(Case& c, DeviceSession& session, int device);

// An export of such a tensor to memory of another kind or on another device of the process, drawn.
// Ends the case as declined where it is refused.
struct ExportElsewhere {
  dlcert_device requested;
  Exported exported;
};
ExportElsewhere export_elsewhere(Case& c, DeviceSession& session, const DeviceSource& from);

// The bytes from the lowest to the highest element of such a tensor: of which the first is at
// `first`, or which the producer tells.
Range reach(const TensorSpec& spec, const std::byte* first);
Range range_of(const Party& party, const Source& source);

}  // namespace dlcert::testbench
