// SPDX-License-Identifier: Apache-2.0
//
// Whether the driver sees what a library does on devices: a process may hold GPU runtimes that it
// does not see, which matter only to a library that uses them.
#pragma once

#include <dlcert/suite/party.hpp>

namespace dlcert {

// Makes the first small tensor on a device that `producer` claims. True: it lies in memory that the
// driver knows. False: it does not, or cannot be made, or none is claimed.
bool driver_sees_allocations(const Party& producer);

}  // namespace dlcert
