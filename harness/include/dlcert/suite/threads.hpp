// SPDX-License-Identifier: Apache-2.0
//
// Threads and garbage that a library has in this process. Cases themselves have one thread.
// Implemented in harness/src/party/threads.cpp.
#pragma once

#include <functional>

namespace dlcert {

// Returns whether the calling thread is the only one of the process; false if /proc does not show
// it.
bool single_threaded();

// Waits until `holds` returns true, but not for ever. If it is false at first, collects garbage and
// asks again. If it is still false and other threads exist, asks again for half a second. The
// reason: a library may release what its user has dropped only at the next garbage collection, or
// on a thread of its own. JAX releases an export of an import at a garbage collection.
void await(const std::function<bool()>& holds);

// Registers the garbage collection of `owner` for await(). With `all` false it collects only the
// young generation, which takes microseconds. An empty `collection` removes it. Not while a thread
// is in await().
void collect_by(const void* owner, std::function<void(bool all)> collection);
// Removes the collections of all owners.
void collect_nothing();

}  // namespace dlcert
