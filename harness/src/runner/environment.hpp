// SPDX-License-Identifier: Apache-2.0
//
// What of this process's environment reaches workers, and what of it a report has to tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// The variables that workers get, "NAME=value": all but those that would make a run say less than
// it seems to. These name the devices that a library sees, where the driver is the simulated one,
// and set up the simulated driver and the stand-ins of management libraries, as the worker does
// itself.
std::vector<std::string> worker_environment(std::string_view driver);

// Those of them that can weaken a run by what they do to the library or to sanitizers, and the
// worker that the environment names.
std::vector<std::string> conditions(std::string_view driver);

}  // namespace dlcert
