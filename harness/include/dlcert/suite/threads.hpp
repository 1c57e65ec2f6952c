// SPDX-License-Identifier: Apache-2.0
//
// The threads of the process, which are the library's: cases have one.
#pragma once

#include <functional>

namespace dlcert {

// Whether the calling thread is the only one. False where that is hidden.
bool single_threaded();

// Returns when `holds`, which it asks again and again for half a second where another thread may
// make it so: a library may release on a thread of its own what its user has let go.
void await(const std::function<bool()>& holds);

}  // namespace dlcert
