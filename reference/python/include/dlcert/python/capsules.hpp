// SPDX-License-Identifier: Apache-2.0
//
// A Capsule of reference/tensor is to be a PyCapsule: each becomes the other.

#pragma once

#include "dlcert/python/owned.hpp"
#include "dlcert/tensor/capsule.hpp"

namespace dlcert::reference::python {

/// A PyCapsule with the pointer, the name, which is not copied, and the destructor of `capsule`. It
/// runs under the interpreter's lock, and an error that is in flight stays. When this throws, the
/// capsule's destructor has run.
[[nodiscard]] Owned object_of(Capsule capsule);

/// A PyCapsule to be opened; it lives as long as the result, whose context it is. A value error for
/// another object.
[[nodiscard]] Capsule capsule_of(Owned object);
/// The PyCapsule of such a capsule gets the name that the capsule has.
void copy_name(const Capsule& capsule) noexcept;

}  // namespace dlcert::reference::python
