// SPDX-License-Identifier: Apache-2.0
//
// The threads of the process, which are the library's: cases have one.
#pragma once

#include <functional>

namespace dlcert {

// Whether the calling thread is the only one. False where that is hidden.
bool single_threaded();

// Returns when `holds`. Where it does not at once, garbage is collected, and it is asked again
// and again for half a second where another thread may make it so: a library may release what its
// user has let go at the next collection of garbage (as JAX does with an export of an import), or
// on a thread of its own.
void await(const std::function<bool()>& holds);

// From now on `collection` collects the garbage of `owner`: the young, which takes microseconds, or
// all of it. An empty one ends that. Not while a thread awaits.
void collect_by(const void* owner, std::function<void(bool all)> collection);
// Ends the collections of all owners.
void collect_nothing();

}  // namespace dlcert
