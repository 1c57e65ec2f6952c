// SPDX-License-Identifier: Apache-2.0
//
// PyCapsules around the harness's managed tensors.
#pragma once

#include <dlcert/adapter.h>

#include "object.hpp"

namespace dlcert::python {

// `name` lives as long as the process. `destructor`, which may be NULL, runs when the capsule dies,
// without the interpreter's lock and whatever error is in flight.
Ref new_capsule(void* pointer, const char* name, dlcert_capsule_destructor destructor);

// A capsule that owns `managed`, under its live name: unless a consumer has renamed it, its deleter
// is called when the capsule dies.
Ref owning_capsule(const dlcert_managed& managed);

// The logical bytes of the managed tensor in a live capsule, which is consumed. Throws Raised.
Ref logical_bytes(PyObject* capsule);

}  // namespace dlcert::python
