// SPDX-License-Identifier: Apache-2.0
//
// The module `_dlcert`: what the Python half of the bridge needs of this one.
#pragma once

#include <dlcert/adapter.h>

namespace dlcert::python {

// Makes the module, before the package dlcert is loaded. Needs the lock; throws Raised.
void add_natives();

// Where warnings go from now on; NULL: nowhere.
void set_host(const dlcert_host* host);

}  // namespace dlcert::python
