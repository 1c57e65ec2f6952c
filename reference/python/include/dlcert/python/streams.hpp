// SPDX-License-Identifier: Apache-2.0
//
// Which stream of a device the calling thread's work is enqueued on, as a user of the module says
// and asks it. A device is a tuple (type, id); one without streams is a ValueError.

#pragma once

#include "dlcert/python/owned.hpp"

namespace dlcert::reference::python {

/// The type of `stream(device, handle)`, a context manager: the handle's stream is current inside.
/// It is left by the thread that entered it. Throws Raised.
[[nodiscard]] Owned stream_type();

/// The handle of the current stream; 0 is the default one, as on the CPU, which has none.
PyObject* current_stream(PyObject* module, PyObject* device) noexcept;

/// Returns when all work on the device has run.
PyObject* synchronize(PyObject* module, PyObject* device) noexcept;

/// The number of the device whose streams the calling thread uses for such memory: the current one
/// for pinned and managed memory.
PyObject* ordinal(PyObject* module, PyObject* device) noexcept;

}  // namespace dlcert::reference::python
